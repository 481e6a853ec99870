'use client';

import { SimpleGrid, Switch, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { shownAt, withValue } from '../draft/policy-draft';
import type { DraftProps } from './draft-props';

/** A group of fields that is there only when it is switched on; off means null. */
export function OptionalFields({
  draft,
  faults,
  onChange,
  path,
  label,
  description,
  start,
  children,
}: DraftProps & {
  path: string;
  label: string;
  description: string;
  /** What it begins with when it is switched on. */
  start: Readonly<Record<string, unknown>>;
  children: ReactNode;
}) {
  const given = shownAt(draft, path) != null;
  return (
    <div>
      <Switch
        label={label}
        description={description}
        checked={given}
        onChange={({ currentTarget }) => onChange(withValue(draft, path, currentTarget.checked ? start : null))}
      />
      {given && (
        <SimpleGrid cols={{ base: 2, md: 3 }} spacing="sm" mt={6}>
          {children}
        </SimpleGrid>
      )}
      {faults[path] !== undefined && (
        <Text size="xs" c="var(--reach-bad)" role="alert" mt={4}>
          {faults[path]}
        </Text>
      )}
    </div>
  );
}
