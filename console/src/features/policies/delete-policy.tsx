'use client';

import { Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useRouter } from 'next/navigation';
import { useMutation } from '@/graphql/use-mutation';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { GuardedButton, type Right } from '@/ui/guarded-button';
import { useNamespaceHref } from '@/ui/ns-link';
import { say } from '@/ui/say';
import { DELETE_POLICY, type PolicyDetail } from './policies.operations';

/** Deletes a policy, after asking. */
export function DeletePolicy({ policy, right }: { policy: PolicyDetail; right: Right }) {
  const router = useRouter();
  const withNamespace = useNamespaceHref();
  const [asking, dialog] = useDisclosure(false);
  const remove = useMutation(DELETE_POLICY);
  const confirm = async () => {
    if ((await remove.run({ id: policy.id })) === undefined) return;
    say(`Policy ${policy.name} is deleted`);
    router.push(withNamespace('/policies'));
  };
  return (
    <>
      <GuardedButton variant="default" c="var(--reach-bad)" needs={right} onClick={dialog.open}>
        Delete policy
      </GuardedButton>
      {asking && (
        <ConfirmDialog
          title="Delete policy?"
          confirmLabel="Delete policy"
          running={remove.running}
          failure={remove.failure}
          onConfirm={() => void confirm()}
          onClose={dialog.close}
        >
          <Text size="sm">
            Calls that {policy.name} matches fall to the next most specific policy, or to the built-in default, within a
            second. Its versions and tests go with it.
          </Text>
        </ConfirmDialog>
      )}
    </>
  );
}
