'use client';

import { TextInput } from '@mantine/core';
import { shownAt, withValue } from '../draft/policy-draft';
import type { DraftProps } from './draft-props';

/** A text at a path of the draft. `nullable`: an empty field means null. */
export function TextField({
  draft,
  faults,
  onChange,
  path,
  label,
  description,
  placeholder,
  nullable = false,
}: DraftProps & { path: string; label: string; description: string; placeholder?: string; nullable?: boolean }) {
  const value = shownAt(draft, path);
  return (
    <TextInput
      label={label}
      description={description}
      value={typeof value === 'string' ? value : ''}
      onChange={({ currentTarget }) =>
        onChange(withValue(draft, path, currentTarget.value === '' && nullable ? null : currentTarget.value))
      }
      error={faults[path]}
      spellCheck={false}
      {...(placeholder === undefined ? {} : { placeholder })}
    />
  );
}
