'use client';

import { Autocomplete, Button, Group } from '@mantine/core';
import { useState } from 'react';
import { FailureNotice } from '@/ui/failure-notice';
import type { Right } from '@/ui/guarded-button';
import { Section } from '@/ui/section';
import { CheckAnswer } from './check-answer';
import type { Triple } from './permissions.operations';
import type { Check } from './use-check';
import type { Suggestions } from './use-suggestions';

/** Asks the engine whether a caller may call a target's capability, and shows the rule that decides. */
export function CanCall({
  check,
  suggestions,
  canAdd,
  onAdd,
}: {
  check: Check;
  suggestions: Suggestions;
  canAdd: Right;
  onAdd: (rule: Triple) => void;
}) {
  const [question, setQuestion] = useState(check.asked);
  const set = (part: keyof Triple) => (value: string) => setQuestion((old) => ({ ...old, [part]: value }));
  const trimmed = {
    caller: question.caller.trim(),
    target: question.target.trim(),
    capability: question.capability.trim(),
  };
  const complete = trimmed.caller !== '' && trimmed.target !== '' && trimmed.capability !== '';
  return (
    <Section title="Can A call B?">
      <form
        aria-label="Check a permission"
        onSubmit={(event) => {
          event.preventDefault();
          if (!complete) return;
          if (JSON.stringify(trimmed) === JSON.stringify(check.asked)) check.refetch();
          else check.ask(trimmed);
        }}
      >
        <Group align="flex-end" gap="xs">
          <Autocomplete
            label="Caller"
            placeholder="agent:orders/desk"
            data={suggestions.callers}
            limit={20}
            value={question.caller}
            onChange={set('caller')}
            style={{ flex: '1 1 200px' }}
          />
          <Autocomplete
            label="Target agent"
            placeholder="orders/inventory"
            data={suggestions.targets}
            limit={20}
            value={question.target}
            onChange={set('target')}
            style={{ flex: '1 1 180px' }}
          />
          <Autocomplete
            label="Capability to call"
            placeholder="reserve_stock"
            data={suggestions.capabilities}
            limit={20}
            value={question.capability}
            onChange={set('capability')}
            style={{ flex: '1 1 160px' }}
          />
          <Button type="submit" variant="default" disabled={!complete} loading={check.loading}>
            Check
          </Button>
        </Group>
      </form>
      {check.failure !== undefined && <FailureNotice failure={check.failure} onRetry={check.refetch} />}
      {check.answer !== undefined && (
        <CheckAnswer answer={check.answer} canAdd={canAdd} onAdd={() => onAdd(check.asked)} />
      )}
    </Section>
  );
}
