'use client';

import { SimpleGrid } from '@mantine/core';
import { Section } from '@/ui/section';
import type { DraftProps } from './draft-props';
import { NumberField } from './number-field';

/** How long an attempt may take, and what follows a failed one. */
export function TimeSection(props: DraftProps) {
  return (
    <Section title="Time and retries" note="The caller's own deadline stands above all of this.">
      <SimpleGrid cols={{ base: 2, md: 3 }} spacing="sm">
        <NumberField
          {...props}
          path="timeoutMs"
          label="Timeout"
          description="Empty: from recent calls"
          suffix=" ms"
          nullable
        />
        <NumberField {...props} path="retry.maxRetries" label="Retries" description="Attempts after the first" />
        <NumberField
          {...props}
          path="retry.baseMs"
          label="First wait"
          description="At most, before the first retry"
          suffix=" ms"
        />
        <NumberField
          {...props}
          path="retry.factor"
          label="Factor"
          description="Each wait is this much longer"
          decimal
        />
        <NumberField {...props} path="retry.capMs" label="Longest wait" description="No wait is longer" suffix=" ms" />
      </SimpleGrid>
    </Section>
  );
}
