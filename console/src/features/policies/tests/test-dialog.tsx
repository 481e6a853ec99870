'use client';

import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { GuardedButton, type Right } from '@/ui/guarded-button';
import { readJson, writeJson } from '../draft/json-text';
import { testName } from '../draft/test-name';
import classes from '../form/draft-editor.module.css';
import { TestFaults, TestMark } from './test-row';
import { type PolicyUnderTest, useTestStates } from './use-test-results';

/** A test as JSON, run against the draft while it is typed. */
export function TestDialog({
  title,
  note,
  start,
  policy,
  taken,
  saveLabel,
  onSave,
  onClose,
}: {
  title: string;
  note?: string;
  start: unknown;
  policy: PolicyUnderTest;
  /** Names of the other tests. */
  taken: readonly string[];
  saveLabel: string;
  onSave: (test: unknown) => void;
  onClose: () => void;
}) {
  const [text, setText] = useState(() => writeJson(start));
  const [tests, setTests] = useState<readonly unknown[]>([start]);
  const { fault } = readJson(text);
  const state = useTestStates(policy, tests)[0] ?? ({ is: 'WAITING' } as const);
  const narrow = useMediaQuery('(max-width: 48em)');
  const name = testName(tests[0]);

  const edit = (next: string) => {
    setText(next);
    const { value } = readJson(next);
    if (value !== undefined) setTests([value]);
  };
  return (
    <Modal opened onClose={onClose} title={title} size="lg" fullScreen={narrow === true}>
      <Stack gap="sm">
        {note !== undefined && (
          <Text size="sm" c="dimmed">
            {note}
          </Text>
        )}
        <Textarea
          label="Test as JSON"
          description="name, table.instances, request and expect; what is left out takes its default, and everybody may call everything unless table.permissions says otherwise."
          value={text}
          onChange={({ currentTarget }) => edit(currentTarget.value)}
          classNames={{ input: classes.text ?? '' }}
          autosize
          minRows={10}
          maxRows={24}
          spellCheck={false}
          wrap="off"
          error={fault}
        />
        <div role="status" aria-label="Result of the test">
          {fault === undefined && (
            <>
              <TestMark state={state} />
              <TestFaults state={state} />
            </>
          )}
        </div>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <GuardedButton
            needs={saveNeeds(fault, state.is === 'FAULTY', taken.includes(name))}
            onClick={() => {
              onSave(tests[0]);
              onClose();
            }}
          >
            {saveLabel}
          </GuardedButton>
        </Group>
      </Stack>
    </Modal>
  );
}

/** A test that fails can be kept: it says what the policy is to become. */
function saveNeeds(fault: string | undefined, faulty: boolean, taken: boolean): Right {
  if (fault !== undefined) return { allowed: false, reason: 'The JSON cannot be read.' };
  if (faulty) return { allowed: false, reason: 'The test cannot be run as it is written.' };
  if (taken) return { allowed: false, reason: 'Another test has this name.' };
  return { allowed: true, reason: null };
}
