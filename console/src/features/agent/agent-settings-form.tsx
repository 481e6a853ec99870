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
import { labelPatch, labelsOf, labelTexts } from './label-texts';
import { ReportedFacts } from './reported-facts';

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
  const [labels, setLabels] = useState<string[]>(labelTexts(agent.labelOverrides));
  const [deleting, dialog] = useDisclosure(false);
  const update = useMutation(UPDATE_AGENT);
  const remove = useMutation(DELETE_AGENT);

  const written = labelsOf(labels);
  const before = settingsOf(base);
  const after = { weight: Number(weight), roles, labels: 'fault' in written ? before.labels : written.labels };
  const errors = formFaults(update.failure?.fields ?? [], ['weight', 'roles', 'labelOverrides']).errors;
  const needs = whyNot(!sameJson(before, after), 'fault' in written ? written.fault : undefined);
  const theirs =
    update.failure?.code === 'CONFLICT' ? (update.failure.current as AgentSettings | undefined) : undefined;

  const save = async (expectedVersion: number) => {
    // Theirs, when it is saved over theirs.
    const { labelOverrides } = theirs ?? base;
    const patch = { weight: after.weight, roles, labelOverrides: labelPatch(labelOverrides, after.labels) };
    const answer = await update.run({ ref: agent.ref, patch, expectedVersion });
    if (answer === undefined) return;
    setBase(answer.updateAgent);
    say(`Settings of ${agent.ref} are saved`);
    onSaved();
  };
  const take = (settings: AgentSettings) => {
    setBase(settings);
    setWeight(settings.weight);
    setRoles([...settings.roles]);
    setLabels(labelTexts(settings.labelOverrides));
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
          <TagsInput
            label="Labels"
            description="name=value; they win over those that the agent reports"
            placeholder={labels.length === 0 ? 'Type name=value and press Enter' : ''}
            value={labels}
            onChange={setLabels}
            error={'fault' in written ? written.fault : errors.labelOverrides}
          />
          {!sameJson(before, after) && <DiffView before={before} after={after} label="Changes to save" />}
          {theirs !== undefined ? (
            <SaveConflict
              theirs={settingsOf(theirs)}
              mine={after}
              onTake={() => take(theirs)}
              onOverwrite={() => void save(theirs.version)}
            />
          ) : (
            update.failure !== undefined && <FailureNotice failure={update.failure} />
          )}
          <Group gap="xs">
            <GuardedButton
              needs={needs ?? right('agents.write')}
              loading={update.running}
              onClick={() => void save(base.version)}
            >
              Save settings
            </GuardedButton>
          </Group>
        </Stack>
      </Section>
      <ReportedFacts agent={agent} />
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

/** What the form shows of the settings. */
function settingsOf({ weight, roles, labelOverrides }: AgentSettings) {
  return { weight, roles, labels: labelOverrides };
}

/** Why it can't be saved, whatever the viewer's rights. */
function whyNot(changed: boolean, fault: string | undefined): Right | undefined {
  if (fault !== undefined) return { allowed: false, reason: fault };
  return changed ? undefined : { allowed: false, reason: 'Nothing is changed yet.' };
}
