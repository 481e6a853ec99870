'use client';

import { Switch } from '@mantine/core';
import { shownAt, withValue } from '../draft/policy-draft';
import type { DraftProps } from './draft-props';

/** A yes or no at a path of the draft. */
export function SwitchField({
  draft,
  faults,
  onChange,
  path,
  label,
  description,
}: DraftProps & { path: string; label: string; description: string }) {
  return (
    <Switch
      label={label}
      description={description}
      checked={shownAt(draft, path) === true}
      onChange={({ currentTarget }) => onChange(withValue(draft, path, currentTarget.checked))}
      error={faults[path]}
    />
  );
}
