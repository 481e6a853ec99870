'use client';

import { Group, NumberInput, Stack, TagsInput, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import type { Action } from '@/features/shell/use-rights';
import { useMutation } from '@/graphql/use-mutation';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { sameJson } from '@/ui/diff';
import { DiffView } from '@/ui/diff-view';
import { FailureNotice } from '@/ui/failure-notice';
import { formFaults } from '@/ui/form-faults';
import { GuardedButton, type Right } from '@/ui/guarded-button';
import { useNamespaceHref } from '@/ui/ns-link';
import { SaveConflict } from '@/ui/save-conflict';
import { say } from '@/ui/say';
import { Section } from '@/ui/section';
import { type AgentDetail, type AgentSettings, DELETE_AGENT, UPDATE_AGENT } from './agent.operations';

/** What operators set, as opposed to what the agent reports: it survives re-registration. */
export function AgentSettingsForm({
  agent,
  right,
  onSaved,
}: {
  agent: AgentDetail;
  right: (action: Action) => Right;
  onSaved: () => void;
}) {
  const router = useRouter();
  const withNamespace = useNamespaceHref();
  // What was read when editing began: the page reads the agent again and again, and that must not undo an edit.
  const [base, setBase] = useState<AgentSettings>(agent);
  const [weight, setWeight] = useState<number | string>(agent.weight);
  const [roles, setRoles] = useState<string[]>([...agent.roles]);
  const [deleting, dialog] = useDisclosure(false);
  const update = useMutation(UPDATE_AGENT);
  const remove = useMutation(DELETE_AGENT);

  const before = { weight: base.weight, roles: base.roles };
  const after = { weight: Number(weight), roles };
  const changed = !sameJson(before, after);
  const errors = formFaults(update.failure?.fields ?? [], ['weight', 'roles']).errors;
  const theirs =
    update.failure?.code === 'CONFLICT' ? (update.failure.current as AgentSettings | undefined) : undefined;

  const save = async (expectedVersion: number) => {
    const answer = await update.run({ ref: agent.ref, patch: after, expectedVersion });
    if (answer === undefined) return;
    setBase(answer.updateAgent);
    say(`Settings of ${agent.ref} are saved`);
    onSaved();
  };
  const take = (settings: AgentSettings) => {
    setBase(settings);
    setWeight(settings.weight);
    setRoles([...settings.roles]);
    update.reset();
  };
  const confirmDelete = async () => {
    if ((await remove.run({ ref: agent.ref })) === undefined) return;
    say(`${agent.ref} is deleted`);
    router.push(withNamespace('/agents'));
  };

  return (
    <>
      <Section title="Routing" note="Set by operators; kept when the agent registers again.">
        <Stack gap="sm" maw={520}>
          <NumberInput
            label="Weight"
            description="Share of the work beside others; 0 means no new work"
            min={0}
            allowDecimal={false}
            value={weight}
            onChange={setWeight}
            error={errors.weight}
          />
          <TagsInput
            label="Roles"
            description="Permission rules can name a role as caller: role:name"
            placeholder={roles.length === 0 ? 'Type a role and press Enter' : ''}
            value={roles}
            onChange={setRoles}
            error={errors.roles}
          />
          {changed && <DiffView before={before} after={after} label="Changes to save" />}
          {theirs !== undefined ? (
            <SaveConflict
              theirs={{ weight: theirs.weight, roles: theirs.roles }}
              mine={after}
              onTake={() => take(theirs)}
              onOverwrite={() => void save(theirs.version)}
            />
          ) : (
            update.failure !== undefined && <FailureNotice failure={update.failure} />
          )}
          <Group gap="xs">
            <GuardedButton
              needs={changed ? right('agents.write') : { allowed: false, reason: 'Nothing is changed yet.' }}
              loading={update.running}
              onClick={() => void save(base.version)}
            >
              Save settings
            </GuardedButton>
          </Group>
        </Stack>
      </Section>
      <Section title="Delete" note="Its tokens stop at once. A new agent under the same id inherits no permission.">
        <GuardedButton variant="default" c="var(--reach-bad)" needs={right('agents.write')} onClick={dialog.open}>
          Delete agent
        </GuardedButton>
        {deleting && (
          <ConfirmDialog
            title="Delete agent?"
            confirmLabel="Delete agent"
            running={remove.running}
            failure={remove.failure}
            onConfirm={() => void confirmDelete()}
            onClose={dialog.close}
          >
            <Text size="sm">
              {agent.ref} with its {agent.instanceCount} connected instances, {agent.versions.length} versions and all
              its tokens. Its audit entries stay.
            </Text>
          </ConfirmDialog>
        )}
      </Section>
    </>
  );
}
