'use client';

import { Button, Group, Text } from '@mantine/core';
import { Mark } from '@/ui/mark';
import { Mono } from '@/ui/mono';
import { testName } from '../draft/test-name';
import type { TestState } from './use-test-results';

/** One saved test: how it ends under the draft, and what it expects. */
export function TestRow({
  test,
  state,
  onEdit,
  onRemove,
}: {
  test: unknown;
  state: TestState;
  onEdit: () => void;
  onRemove: () => void;
}) {
  const name = testName(test);
  const { request, expect } = (typeof test === 'object' && test !== null ? test : {}) as Readonly<
    Record<string, unknown>
  >;
  return (
    <tr>
      <th scope="row">
        {name}
        <Text size="xs" c="dimmed">
          {requestText(request)}
        </Text>
      </th>
      <td>
        <TestMark state={state} />
        <TestFaults state={state} />
      </td>
      <td>
        <Mono>{expectationText(expect)}</Mono>
      </td>
      <td>
        <Group gap={4} wrap="nowrap">
          <Button size="compact-xs" variant="default" aria-label={`Edit test ${name}`} onClick={onEdit}>
            Edit
          </Button>
          <Button size="compact-xs" variant="default" aria-label={`Remove test ${name}`} onClick={onRemove}>
            Remove
          </Button>
        </Group>
      </td>
    </tr>
  );
}

export function TestMark({ state }: { state: TestState }) {
  if (state.is === 'WAITING') {
    return (
      <Mark tone="idle" shape="ring">
        Waits for a valid policy
      </Mark>
    );
  }
  if (state.is === 'FAULTY') {
    return (
      <Mark tone="bad" shape="square">
        Cannot be run
      </Mark>
    );
  }
  return state.result.passed ? (
    <Mark tone="good" shape="check">
      Passes
    </Mark>
  ) : (
    <Mark tone="bad" shape="cross">
      Fails
    </Mark>
  );
}

/** What is not as the test expects, or what is wrong with the test. */
export function TestFaults({ state }: { state: TestState }) {
  if (state.is === 'WAITING') return null;
  const faults =
    state.is === 'FAULTY'
      ? state.faults
      : state.result.faults.map(
          ({ path, expected, got }) => `${path}: expected ${expected ?? 'nothing'}, got ${got ?? 'nothing'}`,
        );
  return faults.map((fault) => (
    <Text key={fault} size="xs" c="var(--reach-bad)">
      {fault}
    </Text>
  ));
}

function requestText(request: unknown): string {
  const { caller, target } = (typeof request === 'object' && request !== null ? request : {}) as Record<
    string,
    unknown
  >;
  const { capability, agent, type } = (typeof target === 'object' && target !== null ? target : {}) as Record<
    string,
    unknown
  >;
  const whom = [capability, agent, type].filter((part) => typeof part === 'string').join(' of ');
  return `${typeof caller === 'string' ? caller : 'somebody'} → ${whom === '' ? 'nobody' : whom}`;
}

function expectationText(expect: unknown): string {
  if (typeof expect !== 'object' || expect === null) return '–';
  const { outcome, chosen, agent, message } = expect as Record<string, unknown>;
  return [outcome, chosen, agent, message].filter((part) => typeof part === 'string').join(' · ');
}
