'use client';

import { SimpleGrid, TagsInput } from '@mantine/core';
import { Section } from '@/ui/section';
import { withValue } from '../draft/policy-draft';
import { type DraftProps, faultUnder, textsAt } from './draft-props';
import { NumberField } from './number-field';
import { TextField } from './text-field';

/** Which calls the policy is for. */
export function MatchSection(props: DraftProps) {
  const tags = textsAt(props.draft, 'match.tags');
  return (
    <Section
      title="Match"
      note="Which calls the policy is for. The most specific match wins; between equals, the higher priority."
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <TextField
          {...props}
          path="match.capability"
          label="Capability"
          description="A name, *, or a prefix such as reserve_*"
        />
        <TextField
          {...props}
          path="match.caller"
          label="Callers"
          description="*, or a pattern such as agent:orders/*"
        />
        <TagsInput
          label="Tags"
          description="All must be among the tags of the capability"
          placeholder={tags.length === 0 ? 'Any' : ''}
          value={tags}
          onChange={(value) => props.onChange(withValue(props.draft, 'match.tags', value))}
          acceptValueOnBlur
          error={faultUnder(props.faults, 'match.tags')}
        />
        <NumberField {...props} path="priority" label="Priority" description="−1000 to 1000" />
      </SimpleGrid>
    </Section>
  );
}
