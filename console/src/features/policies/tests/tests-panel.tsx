'use client';

import { Button, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { DataTable } from '@/ui/data-table';
import { Empty } from '@/ui/empty';
import { Section } from '@/ui/section';
import { testName } from '../draft/test-name';
import type { Draft } from '../draft/use-draft';
import { exampleTest } from './example-test';
import { TestDialog } from './test-dialog';
import { TestRow } from './test-row';
import type { PolicyUnderTest, TestState } from './use-test-results';

/** The tests that are saved with the policy. They belong to the draft: a save writes them, and runs them first. */
export function TestsPanel({
  policy,
  draft,
  states,
  onTry,
}: {
  policy: PolicyUnderTest;
  draft: Draft;
  states: readonly TestState[];
  /** Leads to where a test can be made of a request. */
  onTry: () => void;
}) {
  const [editing, setEditing] = useState<number | 'NEW'>();
  const { tests, setTests } = draft;
  const add = (
    <Button variant="default" leftSection={<IconPlus size={15} />} onClick={() => setEditing('NEW')}>
      New test
    </Button>
  );
  const opened = typeof editing === 'number' ? tests[editing] : undefined;
  return (
    <Section
      title="Saved tests"
      note="A request, the instances that there are, and what must be decided. Run by the router's own code at every save; one that fails refuses the save."
      actions={tests.length > 0 && add}
    >
      {tests.length === 0 ? (
        <Empty
          title="No test is saved with this policy"
          action={
            <>
              <Button onClick={onTry}>Make one of a request</Button>
              {add}
            </>
          }
        >
          Try the draft against a request, and keep what it decides as a test: the next change of the policy then has to
          decide the same.
        </Empty>
      ) : (
        <DataTable
          label="Saved tests"
          minWidth={480}
          head={
            <>
              <th scope="col">Test</th>
              <th scope="col">Result</th>
              <th scope="col">Expected</th>
              <th scope="col" data-tight>
                Actions
              </th>
            </>
          }
        >
          {tests.map((test, index) => (
            <TestRow
              key={testName(test)}
              test={test}
              state={states[index] ?? { is: 'WAITING' }}
              onEdit={() => setEditing(index)}
              onRemove={() => setTests(tests.filter((_, at) => at !== index))}
            />
          ))}
        </DataTable>
      )}
      {tests.length > 0 && draft.changes.some(({ path }) => path.startsWith('tests')) && (
        <Text size="xs" c="dimmed" mt="xs">
          The tests are part of the draft: save the policy to keep them.
        </Text>
      )}
      {editing !== undefined && (
        <TestDialog
          title={editing === 'NEW' ? 'New test' : `Edit ${testName(opened)}`}
          start={editing === 'NEW' ? exampleTest(policy.namespace, policy.content) : opened}
          policy={policy}
          taken={tests.filter((_, at) => at !== editing).map(testName)}
          saveLabel={editing === 'NEW' ? 'Add the test' : 'Keep the test'}
          onSave={(test) =>
            setTests(editing === 'NEW' ? [...tests, test] : tests.map((old, at) => (at === editing ? test : old)))
          }
          onClose={() => setEditing(undefined)}
        />
      )}
    </Section>
  );
}
