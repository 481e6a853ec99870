'use client';

import { SimpleGrid, Stack } from '@mantine/core';
import { Section } from '@/ui/section';
import { DomainSplitFields } from './domain-split-fields';
import type { DraftProps } from './draft-props';
import { SwitchField } from './switch-field';
import { TextField } from './text-field';

/** Zones, domains and versions: how far a call may go. */
export function ReachSection(props: DraftProps) {
  return (
    <Section title="Zones, domains and versions" note="How far a call may go from where its caller is.">
      <Stack gap="sm">
        <SwitchField
          {...props}
          path="allowZoneCrossing"
          label="A call may leave its zone when nobody is left there"
          description="Off: it fails instead"
        />
        <DomainSplitFields {...props} />
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm" style={{ alignItems: 'end' }}>
          <TextField
            {...props}
            path="versions.range"
            label="Versions"
            description="A range such as ^1.2; empty: any"
            placeholder="Any"
            nullable
          />
          <SwitchField
            {...props}
            path="versions.sticky"
            label="Keep the version"
            description="An affinity key that loses its instance moves to the same version"
          />
        </SimpleGrid>
      </Stack>
    </Section>
  );
}
