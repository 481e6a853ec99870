'use client';

import { SimpleGrid, Stack } from '@mantine/core';
import { Section } from '@/ui/section';
import type { DraftProps } from './draft-props';
import { NumberField } from './number-field';
import { OptionalFields } from './optional-fields';

/** What keeps calls from the agents: kept answers, limits, and waiting. */
export function LoadSection(props: DraftProps) {
  return (
    <Section title="Cache, limits and waiting" note="Which calls reach an agent at all, and when.">
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="sm">
          <NumberField
            {...props}
            path="cacheTtlMs"
            label="Keep answers for"
            description="Equal calls get the same answer. Empty: as declared; 0: never"
            suffix=" ms"
            nullable
          />
        </SimpleGrid>
        <OptionalFields
          {...props}
          path="rateLimit"
          label="Limit the calls of each caller"
          description="Off: no limit. A call beyond it is refused as RATE_LIMITED; its retries don't count."
          start={{ calls: 60, windowMs: 60_000 }}
        >
          <NumberField {...props} path="rateLimit.calls" label="Calls allowed" description="Of one caller" />
          <NumberField
            {...props}
            path="rateLimit.windowMs"
            label="In any"
            description="Time in which they count"
            suffix=" ms"
          />
        </OptionalFields>
        <OptionalFields
          {...props}
          path="queue"
          label="Let calls wait while every instance is full"
          description="Off: they are refused as OVERLOADED at once."
          start={{ maxLength: 100, maxWaitMs: 1_000 }}
        >
          <NumberField
            {...props}
            path="queue.maxLength"
            label="Places to wait"
            description="Calls that wait at once, by capability"
          />
          <NumberField
            {...props}
            path="queue.maxWaitMs"
            label="Wait at most"
            description="Then refused as OVERLOADED"
            suffix=" ms"
          />
        </OptionalFields>
      </Stack>
    </Section>
  );
}
