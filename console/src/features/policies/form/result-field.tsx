'use client';

import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { resultFault, shownResult, typedResult } from '../draft/fallback';

/** A fixed answer, typed as JSON. */
export function ResultField({
  label,
  result,
  onChange,
  error,
}: {
  label: string;
  result: unknown;
  onChange: (result: unknown) => void;
  error: string | undefined;
}) {
  const [typed, setTyped] = useState('');
  return (
    <Textarea
      aria-label={label}
      value={shownResult(typed, result)}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        onChange(typedResult(currentTarget.value));
      }}
      autosize
      minRows={1}
      maxRows={12}
      spellCheck={false}
      styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 12 } }}
      error={resultFault(result) ?? error}
      style={{ flex: '1 1 160px', minWidth: 0 }}
    />
  );
}
