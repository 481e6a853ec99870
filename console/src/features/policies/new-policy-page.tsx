'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { useShell } from '@/features/shell/shell-context';
import { useRights } from '@/features/shell/use-rights';
import { useMutation } from '@/graphql/use-mutation';
import { useNamespaceHref } from '@/ui/ns-link';
import { PageHeader } from '@/ui/page-header';
import { say, sayWarning } from '@/ui/say';
import { CREATE_POLICY } from './policies.operations';
import { draftOf } from './policy-draft';
import { PolicyEditor, type PolicyInput, type PolicyToSave } from './policy-editor';

/** A new policy, starting from the built-in default. */
export function NewPolicyPage() {
  const router = useRouter();
  const withNamespace = useNamespaceHref();
  const { namespace, namespaces } = useShell();
  const [value, setValue] = useState<PolicyInput>(() => ({
    namespace: namespace ?? namespaces[0]?.id ?? '',
    name: '',
    comment: '',
    draft: draftOf({}),
  }));
  const right = useRights(value.namespace);
  const create = useMutation(CREATE_POLICY);
  const save = async ({ namespace: inNamespace, name, comment, content }: PolicyToSave) => {
    const answer = await create.run({ input: { namespace: inNamespace, name, comment, content } });
    if (answer === undefined) return;
    say(`Policy ${name} is saved`);
    for (const warning of answer.createPolicy.warnings) sayWarning(warning);
    router.push(withNamespace(`/policies/${answer.createPolicy.policy.id}`));
  };
  return (
    <div style={{ maxWidth: 900 }}>
      <PageHeader title="New policy" lead="It starts with the values of the built-in default." />
      <PolicyEditor
        value={value}
        onChange={setValue}
        saved={undefined}
        namespaces={namespaces.map(({ id }) => id)}
        right={right('policies.write')}
        saving={create.running}
        failure={create.failure}
        saveLabel="Create policy"
        onSave={(policy) => void save(policy)}
      />
    </div>
  );
}
