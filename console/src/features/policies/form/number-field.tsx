'use client';

import { NumberInput } from '@mantine/core';
import { shownAt, withValue } from '../draft/policy-draft';
import type { DraftProps } from './draft-props';

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
  usual,
}: DraftProps & {
  path: string;
  label: string;
  description: string;
  suffix?: string;
  decimal?: boolean;
  nullable?: boolean;
  /** The default of a field that the default policy doesn't have. */
  usual?: number;
}) {
  const value = shownAt(draft, path) ?? usual;
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
