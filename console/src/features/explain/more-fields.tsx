'use client';

import { Button, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Question } from './question';

const FIELDS = [
  ['type', 'Type', 'Any'],
  ['tags', 'Tags', 'fast, eu'],
  ['versions', 'Versions', '^1.2'],
  ['zone', 'Zone', "Its caller's"],
  ['key', 'Affinity key', 'None'],
  ['request', 'Request id', 'Any'],
] as const;

/** What else a call can say; folded away until it is needed. */
export function MoreFields({ question, onChange }: { question: Question; onChange: (question: Question) => void }) {
  const [opened, setOpened] = useState(FIELDS.some(([part]) => question[part] !== ''));
  if (!opened) {
    return (
      <Button variant="subtle" size="compact-xs" mb="md" onClick={() => setOpened(true)}>
        Type, tags, versions, zone, affinity key, request id
      </Button>
    );
  }
  return (
    <Group align="flex-end" gap="xs" mb="md">
      {FIELDS.map(([part, label, placeholder]) => (
        <TextInput
          key={part}
          label={label}
          placeholder={placeholder}
          value={question[part]}
          onChange={({ currentTarget }) => onChange({ ...question, [part]: currentTarget.value })}
          spellCheck={false}
          style={{ flex: '1 1 120px' }}
        />
      ))}
    </Group>
  );
}
