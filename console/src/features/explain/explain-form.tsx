'use client';

import { Autocomplete, Button, Group, Select } from '@mantine/core';
import { useState } from 'react';
import { useSuggestions } from '@/features/permissions/use-suggestions';
import { MoreFields } from './more-fields';
import { isComplete, type Question } from './question';

/** The question, before it is asked. */
export function ExplainForm({
  label,
  submitLabel,
  asked,
  namespaces,
  running,
  onAsk,
}: {
  label: string;
  submitLabel: string;
  asked: Question;
  /** To choose from; with one of them there is no choice. */
  namespaces: readonly string[];
  running: boolean;
  onAsk: (question: Question) => void;
}) {
  const [question, setQuestion] = useState(asked);
  const suggestions = useSuggestions(question.namespace === '' ? undefined : question.namespace);
  const set = (part: keyof Question) => (value: string) => setQuestion((old) => ({ ...old, [part]: value.trim() }));
  const ids = suggestions.targets.map((ref) => ref.slice(ref.indexOf('/') + 1));
  return (
    <form
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        if (isComplete(question)) onAsk(question);
      }}
    >
      <Group align="flex-end" gap="xs" mb="xs">
        <Autocomplete
          label="Caller"
          placeholder="agent:orders/desk"
          data={suggestions.callers}
          limit={20}
          value={question.caller}
          onChange={set('caller')}
          style={{ flex: '1 1 200px' }}
        />
        {namespaces.length > 1 && (
          <Select
            label="In namespace"
            data={[...namespaces]}
            allowDeselect={false}
            value={question.namespace}
            onChange={(value) => value !== null && set('namespace')(value)}
            style={{ flex: '0 1 150px' }}
          />
        )}
        <Autocomplete
          label="Capability"
          placeholder="reserve_stock"
          data={suggestions.capabilities}
          limit={20}
          value={question.capability}
          onChange={set('capability')}
          style={{ flex: '1 1 160px' }}
        />
        <Autocomplete
          label="Agent"
          placeholder="Any"
          data={ids}
          limit={20}
          value={question.agent}
          onChange={set('agent')}
          style={{ flex: '1 1 130px' }}
        />
        <Button type="submit" disabled={!isComplete(question)} loading={running}>
          {submitLabel}
        </Button>
      </Group>
      <MoreFields question={question} onChange={setQuestion} />
    </form>
  );
}
