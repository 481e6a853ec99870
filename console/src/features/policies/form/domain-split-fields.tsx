'use client';

import { SimpleGrid, Switch, Text } from '@mantine/core';
import { shownAt, withValue } from '../draft/policy-draft';
import type { DraftProps } from './draft-props';
import { NumberField } from './number-field';

const DOMAINS = [
  ['PRODUCTION', 'Production'],
  ['STAGING', 'Staging'],
  ['CANARY', 'Canary'],
] as const;

const START = { CANARY: 5, STAGING: 0, PRODUCTION: 95 };

/** The split of the calls over domains, or none. */
export function DomainSplitFields(props: DraftProps) {
  const { draft, faults, onChange } = props;
  const split = shownAt(draft, 'domainSplit') != null;
  return (
    <div>
      <Switch
        label="Split the calls over domains"
        description="Off: a call stays in its caller's domain. A call falls back to it when the drawn domain has nobody."
        checked={split}
        onChange={({ currentTarget }) =>
          onChange(withValue(draft, 'domainSplit', currentTarget.checked ? START : null))
        }
      />
      {split && (
        <SimpleGrid cols={3} spacing="sm" mt={6}>
          {DOMAINS.map(([domain, label]) => (
            <NumberField
              key={domain}
              {...props}
              path={`domainSplit.${domain}`}
              label={label}
              description="Share"
              suffix=" %"
              decimal
              usual={0}
            />
          ))}
        </SimpleGrid>
      )}
      {faults.domainSplit !== undefined && (
        <Text size="xs" c="var(--reach-bad)" role="alert" mt={4}>
          {faults.domainSplit}
        </Text>
      )}
    </div>
  );
}
