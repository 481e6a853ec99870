'use client';

import { SimpleGrid } from '@mantine/core';
import { Section } from '@/ui/section';
import type { DraftProps } from './draft-props';
import { NumberField } from './number-field';

const FIELDS = [
  ['consecutiveFailures', 'Failures in a row', 'Open it'],
  ['consecutiveWindowMs', 'Within', 'Time for those failures'],
  ['errorRate', 'Error rate', '0 to 1, opens it'],
  ['rateWindowMs', 'Window of the rate', 'Time it is measured over'],
  ['minimumCalls', 'Minimum calls', 'Before the rate counts'],
  ['openMs', 'Open for', 'Then one probe call'],
  ['closeAfter', 'Close after', 'Successful probe calls'],
  ['closeSuccessRate', 'Of them good', '0 to 1, fewer open it again'],
  ['closeAfterProbes', 'Health probes', 'Good in a row, HTTP only; empty: none'],
  ['maxMeanLatencyMs', 'Mean latency', 'A higher one opens it; empty: never'],
  ['slowStartMs', 'Slow start', 'Until the full share again; 0: at once'],
] as const;

/** When an instance that fails is left alone. */
export function BreakerSection(props: DraftProps) {
  return (
    <Section title="Breaker" note="When an instance that fails is left alone, and how it comes back.">
      <SimpleGrid cols={{ base: 2, md: 3 }} spacing="sm">
        {FIELDS.map(([name, label, description]) => (
          <NumberField
            key={name}
            {...props}
            path={`breaker.${name}`}
            label={label}
            description={description}
            decimal={name === 'errorRate' || name === 'closeSuccessRate'}
            nullable={name === 'maxMeanLatencyMs' || name === 'closeAfterProbes'}
            {...(name.endsWith('Ms') ? { suffix: ' ms' } : {})}
          />
        ))}
      </SimpleGrid>
    </Section>
  );
}
