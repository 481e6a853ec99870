'use client';

import { Select } from '@mantine/core';
import { useRouter } from 'next/navigation';
import { useMemo, useState } from 'react';
import { useShell } from '@/features/shell/shell-context';
import { useRights } from '@/features/shell/use-rights';
import { useMutation } from '@/graphql/use-mutation';
import { useNamespaceHref } from '@/ui/ns-link';
import { PageHeader } from '@/ui/page-header';
import { say, sayWarning } from '@/ui/say';
import { partsOf } from './draft/draft-parts';
import { useKeptDraft } from './draft/use-kept-draft';
import { CREATE_POLICY } from './policies.operations';
import { PolicyEditor } from './policy-editor';
import { restOfCalls } from './save/rest-of-calls';

/** A new policy, starting from the built-in default. */
export function NewPolicyPage() {
  const router = useRouter();
  const withNamespace = useNamespaceHref();
  const { namespace: looked, namespaces } = useShell();
  const [namespace, setNamespace] = useState(looked ?? namespaces[0]?.id ?? '');
  const base = useMemo(() => partsOf({ name: '', content: {}, tests: [] }), []);
  const { draft, wasKept } = useKeptDraft('new', base);
  const right = useRights(namespace)('policies.write');
  const create = useMutation(CREATE_POLICY);
  return (
    <>
      <PageHeader title="New policy" lead="It starts with the values of the built-in default." />
      <PolicyEditor
        place={{ namespace, id: undefined }}
        draft={draft}
        wasKept={wasKept}
        right={right}
        above={
          <Select
            label="Namespace of the policy"
            data={namespaces.map(({ id }) => id)}
            allowDeselect={false}
            value={namespace}
            onChange={(next) => next !== null && setNamespace(next)}
          />
        }
        review={{
          buttonLabel: 'Review and create',
          title: 'Create the policy',
          beforeTitle: 'Built-in default',
          saveLabel: 'Create policy',
          rest: restOfCalls(0),
          saving: create.running,
          failure: create.failure,
          conflict: null,
          onSave: async (toSave) => {
            const answer = await create.run({ input: { namespace, ...toSave } });
            if (answer === undefined) return false;
            draft.reset(base);
            say(`Policy ${toSave.name} is saved`);
            for (const warning of answer.createPolicy.warnings) sayWarning(warning);
            router.push(withNamespace(`/policies/${answer.createPolicy.policy.id}`));
            return true;
          },
          onCancel: create.reset,
        }}
        onDiscard={() => draft.reset(base)}
      />
    </>
  );
}
