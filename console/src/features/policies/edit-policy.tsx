'use client';

import { Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { useRights } from '@/features/shell/use-rights';
import { useMutation } from '@/graphql/use-mutation';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { GuardedButton } from '@/ui/guarded-button';
import { NsLink, useNamespaceHref } from '@/ui/ns-link';
import { PageHeader } from '@/ui/page-header';
import { say, sayWarning } from '@/ui/say';
import { Ago } from '@/ui/time';
import { DELETE_POLICY, type PolicyDetail, UPDATE_POLICY } from './policies.operations';
import { PolicyConflict } from './policy-conflict';
import { draftOf } from './policy-draft';
import { PolicyEditor, type PolicyInput, type PolicyToSave } from './policy-editor';

const inputOf = (policy: PolicyDetail): PolicyInput => ({
  namespace: policy.namespace,
  name: policy.name,
  comment: '',
  draft: draftOf(policy.content),
});

/** Edits a stored policy. A save needs the version that was read; when another came between, both are shown. */
export function EditPolicy({ policy }: { policy: PolicyDetail }) {
  const router = useRouter();
  const withNamespace = useNamespaceHref();
  const right = useRights(policy.namespace)('policies.write');
  const [base, setBase] = useState(policy);
  const [value, setValue] = useState(() => inputOf(policy));
  const [deleting, dialog] = useDisclosure(false);
  const update = useMutation(UPDATE_POLICY);
  const remove = useMutation(DELETE_POLICY);
  const conflict = update.failure?.code === 'CONFLICT' ? theirsOf(update.failure.current, base) : undefined;

  const save = async ({ name, comment, content }: PolicyToSave, expectedVersion = base.version) => {
    const answer = await update.run({ id: base.id, patch: { name, comment, content }, expectedVersion });
    if (answer === undefined) return;
    const { policy: stored, warnings } = answer.updatePolicy;
    setBase(stored);
    setValue(inputOf(stored));
    say(`Version ${stored.version} of ${stored.name} is saved and in force`);
    for (const warning of warnings) sayWarning(warning);
  };
  const takeTheirs = (theirs: PolicyDetail) => {
    setBase(theirs);
    setValue(inputOf(theirs));
    update.reset();
  };
  const confirmDelete = async () => {
    if ((await remove.run({ id: base.id })) === undefined) return;
    say(`Policy ${base.name} is deleted`);
    router.push(withNamespace('/policies'));
  };

  return (
    <div style={{ maxWidth: 900 }}>
      <PageHeader
        above={
          <Text size="xs" c="dimmed">
            <NsLink href="/policies" size="xs">
              Policies
            </NsLink>{' '}
            / {base.namespace}
          </Text>
        }
        title={base.name}
        lead={
          <>
            Version {base.version}, saved <Ago iso={base.updatedAt} /> by {base.author}
            {base.comment !== '' && <>: “{base.comment}”</>}
          </>
        }
      />
      <PolicyEditor
        value={value}
        onChange={setValue}
        saved={{ name: base.name, draft: draftOf(base.content) }}
        namespaces={undefined}
        right={right}
        saving={update.running}
        failure={conflict === undefined ? update.failure : undefined}
        conflict={
          conflict === undefined ? undefined : (
            <PolicyConflict
              theirs={conflict}
              yours={value}
              onTakeTheirs={() => takeTheirs(conflict)}
              onKeepMine={(policyToSave) => void save(policyToSave, conflict.version)}
            />
          )
        }
        saveLabel="Save policy"
        onSave={(policyToSave) => void save(policyToSave)}
        extraActions={
          <GuardedButton variant="default" c="var(--reach-bad)" needs={right} onClick={dialog.open}>
            Delete policy
          </GuardedButton>
        }
      />
      {deleting && (
        <ConfirmDialog
          title="Delete policy?"
          confirmLabel="Delete policy"
          running={remove.running}
          failure={remove.failure}
          onConfirm={() => void confirmDelete()}
          onClose={dialog.close}
        >
          <Text size="sm">
            Calls that {base.name} matches fall to the next most specific policy, or to the built-in default, within a
            second.
          </Text>
        </ConfirmDialog>
      )}
    </div>
  );
}

/** What the conflict says is stored now, on top of what was known: it may leave out what cannot differ. */
function theirsOf(current: unknown, base: PolicyDetail): PolicyDetail | undefined {
  if (
    typeof current !== 'object' ||
    current === null ||
    !('version' in current) ||
    typeof current.version !== 'number'
  ) {
    return undefined;
  }
  return { ...base, ...(current as Partial<PolicyDetail>), id: base.id };
}
