'use client';

import { NumberInput } from '@mantine/core';
import { type PolicyDraft, valueAt, withValue } from './policy-draft';

/** What every field of the policy's form gets: the draft, its faults by path, and whom to tell of a change. */
export interface DraftProps {
  readonly draft: PolicyDraft;
  readonly faults: Readonly<Record<string, string>>;
  readonly onChange: (draft: PolicyDraft) => void;
}

/** A number at a path of the draft. `nullable`: an empty field means null. */
export function NumberField({
  draft,
  faults,
  onChange,
  path,
  label,
  description,
  suffix,
  decimal = false,
  nullable = false,
}: DraftProps & {
  path: string;
  label: string;
  description: string;
  suffix?: string;
  decimal?: boolean;
  nullable?: boolean;
}) {
  const value = valueAt(draft, path);
  return (
    <NumberInput
      label={label}
      description={description}
      value={typeof value === 'number' || typeof value === 'string' ? value : ''}
      // An empty field is a fault unless empty has a meaning: it must not silently become a default.
      onChange={(next) => onChange(withValue(draft, path, next === '' && nullable ? null : next))}
      allowDecimal={decimal}
      step={decimal ? 0.1 : 1}
      hideControls={suffix !== undefined}
      thousandSeparator=" "
      error={faults[path]}
      {...(suffix === undefined ? {} : { suffix })}
    />
  );
}
