'use client';

import { SimpleGrid, Text } from '@mantine/core';
import { shownAt } from '../draft/policy-draft';
import type { DraftProps } from './draft-props';
import { NumberField } from './number-field';

/** The formula of quality, with the numbers filled in below. */
export function QualityFields(props: DraftProps) {
  const at = (name: string, usual: number) => String(shownAt(props.draft, `strategy.quality.${name}`) ?? usual);
  const fault = props.faults['strategy.quality'];
  return (
    <div>
      <SimpleGrid cols={2} spacing="sm">
        <NumberField
          {...props}
          path="strategy.quality.base"
          label="Base"
          description="What every instance starts from"
          decimal
          usual={100}
        />
        <NumberField
          {...props}
          path="strategy.quality.successWeight"
          label="Weight of success"
          description="Added when every call succeeds"
          decimal
          usual={60}
        />
        <NumberField
          {...props}
          path="strategy.quality.latencyWeight"
          label="Weight of latency"
          description="Taken off at the bound"
          decimal
          usual={40}
        />
        <NumberField
          {...props}
          path="strategy.quality.latencyBoundMs"
          label="Bound of latency"
          description="Slower counts no worse"
          suffix=" ms"
          usual={5000}
        />
      </SimpleGrid>
      <Text size="xs" c="dimmed" mt={4}>
        {at('base', 100)} + {at('successWeight', 60)} · success rate − {at('latencyWeight', 40)} · min(mean latency /{' '}
        {at('latencyBoundMs', 5000)} ms, 1), over five minutes.
      </Text>
      {fault !== undefined && (
        <Text size="xs" c="var(--reach-bad)" role="alert" mt={4}>
          {fault}
        </Text>
      )}
    </div>
  );
}
