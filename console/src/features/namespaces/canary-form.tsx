'use client';

import { NumberInput, SimpleGrid, Stack, Switch } from '@mantine/core';
import { useState } from 'react';
import { useMutation } from '@/graphql/use-mutation';
import { sameJson } from '@/ui/diff';
import { DiffView } from '@/ui/diff-view';
import { FailureNotice } from '@/ui/failure-notice';
import { formFaults } from '@/ui/form-faults';
import { GuardedButton, type Right } from '@/ui/guarded-button';
import { SaveConflict } from '@/ui/save-conflict';
import { say } from '@/ui/say';
import { Section } from '@/ui/section';
import { type CanaryPatch, type NamespaceDetail, UPDATE_CANARY } from './namespaces.operations';

const FIELDS = [
  { name: 'sharePercent', label: 'Share of the calls', description: 'Where no policy splits them', suffix: ' %' },
  { name: 'promoteAfterMs', label: 'Time on trial', description: 'Then it goes to production', suffix: ' ms' },
  { name: 'promoteMinCalls', label: 'Calls needed', description: 'Besides the time; 0: none', suffix: '' },
  { name: 'maxErrorPercent', label: 'Calls that may fail', description: 'With more it goes to staging', suffix: ' %' },
] as const;

const NAMES = FIELDS.map(({ name }) => name);

/** Whether and how a namespace tries new versions of its agents out. */
export function CanaryForm({
  namespace,
  needs,
  onSaved,
}: {
  namespace: NamespaceDetail;
  needs: Right;
  onSaved: () => void;
}) {
  // What was read when editing began.
  const [base, setBase] = useState(namespace);
  const [after, setAfter] = useState<CanaryPatch>(namespace.canary);
  const update = useMutation(UPDATE_CANARY);
  const changed = !sameJson(base.canary, after);
  const errors = formFaults(update.failure?.fields ?? [], NAMES).errors;
  const theirs =
    update.failure?.code === 'CONFLICT' ? (update.failure.current as NamespaceDetail | undefined) : undefined;

  const take = (saved: NamespaceDetail) => {
    setBase(saved);
    setAfter(saved.canary);
    update.reset();
  };
  const save = async (expectedVersion: number) => {
    const answer = await update.run({ id: namespace.id, canary: after, expectedVersion });
    if (answer === undefined) return;
    take(answer.updateNamespace);
    say(`Settings of ${namespace.id} are saved`);
    onSaved();
  };

  return (
    <Section
      title="Canary"
      note="A new version of an agent that has one in production is tried on a share of the calls first."
    >
      <Stack gap="sm" maw={720}>
        <Switch
          label="New versions start as canaries"
          description="Turned off, what is on trial goes on to its end"
          checked={after.enabled === true}
          onChange={(event) => setAfter({ ...after, enabled: event.currentTarget.checked })}
        />
        <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
          {FIELDS.map(({ name, label, description, suffix }) => (
            <NumberInput
              key={name}
              label={label}
              description={description}
              value={after[name] ?? ''}
              onChange={(value) => setAfter({ ...after, [name]: typeof value === 'number' ? value : null })}
              hideControls
              thousandSeparator=" "
              suffix={suffix}
              error={errors[name]}
            />
          ))}
        </SimpleGrid>
        {changed && <DiffView before={base.canary} after={after} label="Changes to save" />}
        {theirs !== undefined ? (
          <SaveConflict
            theirs={theirs.canary}
            mine={after}
            onTake={() => take(theirs)}
            onOverwrite={() => void save(theirs.version)}
          />
        ) : (
          update.failure !== undefined && <FailureNotice failure={update.failure} />
        )}
        <div>
          <GuardedButton
            needs={changed ? needs : { allowed: false, reason: 'Nothing is changed yet.' }}
            loading={update.running}
            onClick={() => void save(base.version)}
          >
            Save settings
          </GuardedButton>
        </div>
      </Stack>
    </Section>
  );
}
