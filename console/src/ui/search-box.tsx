'use client';

import { CloseButton, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';

const WAIT_MS = 250;

/** A text filter that asks the server a quarter of a second after the last key. */
export function SearchBox({
  label,
  placeholder,
  value,
  onChange,
  width = 260,
}: {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
  width?: number;
}) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const send = useDebouncedCallback((next: string) => {
    sent.current = next;
    onChange(next);
  }, WAIT_MS);

  // The address changed by other means (back button, a link): show that. Our own change must not overtake typing.
  useEffect(() => {
    if (value === sent.current) return;
    sent.current = value;
    setText(value);
  }, [value]);

  const change = (next: string) => {
    setText(next);
    send(next);
  };
  return (
    <TextInput
      size="xs"
      aria-label={label}
      placeholder={placeholder}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      leftSection={<IconSearch size={14} />}
      rightSection={
        text === '' ? null : <CloseButton size="sm" aria-label={`Clear ${label}`} onClick={() => change('')} />
      }
      style={{ flex: `0 1 ${width}px` }}
    />
  );
}
