'use client';

import { Autocomplete, Button, Group, Select, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSuggestions } from '@/features/permissions/use-suggestions';

export const PARTS = ['caller', 'namespace', 'agent', 'type', 'capability', 'key'] as const;

/** What is asked: who calls what. An empty part is left open. */
export type Question = Readonly<Record<(typeof PARTS)[number], string>>;

/** The question, before it is asked. */
export function ExplainForm({
  asked,
  namespaces,
  running,
  onAsk,
}: {
  asked: Question;
  namespaces: readonly string[];
  running: boolean;
  onAsk: (question: Question) => void;
}) {
  const [question, setQuestion] = useState(asked);
  const suggestions = useSuggestions(question.namespace === '' ? undefined : question.namespace);
  const set = (part: keyof Question) => (value: string) => setQuestion((old) => ({ ...old, [part]: value.trim() }));
  const complete =
    question.caller !== '' && (question.agent !== '' || question.type !== '' || question.capability !== '');
  const ids = suggestions.targets.map((ref) => ref.slice(ref.indexOf('/') + 1));
  return (
    <form
      aria-label="Explain a route"
      onSubmit={(event) => {
        event.preventDefault();
        if (complete) onAsk(question);
      }}
    >
      <Group align="flex-end" gap="xs" mb="md">
        <Autocomplete
          label="Caller"
          placeholder="agent:orders/desk"
          data={suggestions.callers}
          limit={20}
          value={question.caller}
          onChange={set('caller')}
          style={{ flex: '1 1 200px' }}
        />
        <Select
          label="In namespace"
          data={[...namespaces]}
          allowDeselect={false}
          value={question.namespace}
          onChange={(value) => value !== null && set('namespace')(value)}
          style={{ flex: '0 1 150px' }}
        />
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
        <TextInput
          label="Type"
          placeholder="Any"
          value={question.type}
          onChange={(event) => set('type')(event.currentTarget.value)}
          style={{ flex: '1 1 130px' }}
        />
        <TextInput
          label="Affinity key"
          placeholder="None"
          value={question.key}
          onChange={(event) => set('key')(event.currentTarget.value)}
          style={{ flex: '1 1 110px' }}
        />
        <Button type="submit" disabled={!complete} loading={running}>
          Explain
        </Button>
      </Group>
    </form>
  );
}
