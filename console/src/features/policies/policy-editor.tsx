'use client';

import { Alert, Group, List, Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import type { RequestFailure } from '@/graphql/failure';
import { DiffView } from '@/ui/diff-view';
import { FailureNotice } from '@/ui/failure-notice';
import { formFaults } from '@/ui/form-faults';
import { duration } from '@/ui/format';
import { GuardedButton, type Right } from '@/ui/guarded-button';
import { Section } from '@/ui/section';
import { checkDraft, type PolicyDraft, valueAt } from './policy-draft';
import { PolicyFields } from './policy-fields';

export interface PolicyInput {
  readonly namespace: string;
  readonly name: string;
  readonly comment: string;
  readonly draft: PolicyDraft;
}

/** What the editor hands over to be saved: the content is complete and valid. */
export interface PolicyToSave {
  readonly namespace: string;
  readonly name: string;
  readonly comment: string;
  readonly content: unknown;
}

/** The form of a policy: its fields, their faults, the worst case, and what a save would change. */
export function PolicyEditor({
  value,
  onChange,
  saved,
  namespaces,
  right,
  saving,
  failure,
  conflict,
  saveLabel,
  onSave,
  extraActions,
}: {
  value: PolicyInput;
  onChange: (value: PolicyInput) => void;
  /** What is stored now; undefined for a new policy. */
  saved: { readonly name: string; readonly draft: PolicyDraft } | undefined;
  /** Namespaces to choose from; undefined where the namespace is fixed. */
  namespaces: readonly string[] | undefined;
  right: Right;
  saving: boolean;
  /** A failed save, other than a conflict. */
  failure: RequestFailure | undefined;
  /** What to show when somebody else saved meanwhile. */
  conflict?: ReactNode;
  saveLabel: string;
  onSave: (policy: PolicyToSave) => void;
  extraActions?: ReactNode;
}) {
  const { name, comment, namespace, draft } = value;
  const check = useMemo(() => checkDraft(draft), [draft]);
  const fieldNames = useMemo(() => ['name', 'comment', 'namespace', ...pathsOf(draft)], [draft]);
  const fromServer = formFaults(failure?.fields ?? [], fieldNames);
  const nameFault = name.trim() === '' ? 'A policy needs a name' : fromServer.errors.name;

  const changed = saved === undefined || name !== saved.name || JSON.stringify(draft) !== JSON.stringify(saved.draft);
  const save: Right =
    check.content === undefined || name.trim() === ''
      ? { allowed: false, reason: 'Correct the marked fields first.' }
      : changed
        ? right
        : { allowed: false, reason: 'Nothing is changed yet.' };

  return (
    <div>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <TextInput
          label="Policy name"
          autoComplete="off"
          value={name}
          onChange={(event) => onChange({ ...value, name: event.currentTarget.value })}
          error={nameFault}
        />
        {namespaces !== undefined && (
          <Select
            label="Namespace of the policy"
            data={[...namespaces]}
            allowDeselect={false}
            value={namespace}
            onChange={(next) => next !== null && onChange({ ...value, namespace: next })}
            error={fromServer.errors.namespace}
          />
        )}
      </SimpleGrid>
      <PolicyFields
        draft={draft}
        faults={{ ...fromServer.errors, ...check.faults }}
        onChange={(next) => onChange({ ...value, draft: next })}
      />
      <Section title="Save">
        <Text size="sm" role="status" aria-label="Worst case">
          {check.worstCaseMs === undefined
            ? 'The worst case is shown when every field is valid.'
            : `In the worst case a call takes ${duration(check.worstCaseMs)}: every attempt to its timeout${valueAt(draft, 'timeoutMs') === null ? ' (up to 5 min each while it is derived from recent calls)' : ''}, and the longest waits between.`}
        </Text>
        {check.warnings.length > 0 && (
          <Alert color="yellow" variant="light" title="Allowed, but probably not meant so" my="sm">
            <List size="sm">
              {check.warnings.map((warning) => (
                <List.Item key={warning}>{warning}</List.Item>
              ))}
            </List>
          </Alert>
        )}
        {saved !== undefined && changed && (
          <div style={{ marginTop: 12 }}>
            <DiffView
              before={{ name: saved.name, ...saved.draft }}
              after={{ name, ...draft }}
              label="Changes to save"
              beforeTitle="Saved"
              afterTitle="Yours"
            />
          </div>
        )}
        {/* Beside the button that was pressed: at the top of the form nobody would see it. */}
        {conflict}
        {failure !== undefined && (failure.fields.length === 0 || fromServer.rest.length > 0) && (
          <FailureNotice failure={failure} />
        )}
        <Group align="flex-end" gap="sm" mt="sm">
          <TextInput
            label="Comment"
            placeholder="What changes, and why"
            value={comment}
            onChange={(event) => onChange({ ...value, comment: event.currentTarget.value })}
            error={fromServer.errors.comment}
            style={{ flex: '1 1 260px' }}
          />
          <GuardedButton
            needs={save}
            loading={saving}
            onClick={() => onSave({ namespace, name: name.trim(), comment, content: check.content })}
          >
            {saveLabel}
          </GuardedButton>
          {extraActions}
        </Group>
      </Section>
    </div>
  );
}

/** Every path of the draft that holds a field. */
function pathsOf(value: unknown, prefix = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return prefix === '' ? [] : [prefix];
  return Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, prefix === '' ? key : `${prefix}.${key}`));
}
