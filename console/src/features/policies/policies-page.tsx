'use client';

import { IconPlus } from '@tabler/icons-react';
import { useRouter } from 'next/navigation';
import { useShell } from '@/features/shell/shell-context';
import { useRights } from '@/features/shell/use-rights';
import { useQuery } from '@/graphql/use-query';
import { DataTable } from '@/ui/data-table';
import { Empty } from '@/ui/empty';
import { FailureNotice } from '@/ui/failure-notice';
import { GuardedButton } from '@/ui/guarded-button';
import { NsLink, useNamespaceHref } from '@/ui/ns-link';
import { PageHeader } from '@/ui/page-header';
import { Pager } from '@/ui/pager';
import { RowsSkeleton } from '@/ui/rows-skeleton';
import { useCursorPage } from '@/ui/use-cursor-page';
import { POLICIES } from './policies.operations';
import { PolicyRow } from './policy-row';

const PAGE_SIZE = 50;

/** How calls choose an instance, and what happens when they fail. */
export function PoliciesPage() {
  const { namespace } = useShell();
  const router = useRouter();
  const withNamespace = useNamespaceHref();
  const page = useCursorPage(PAGE_SIZE);
  const right = useRights(namespace);
  const { data, failure, outdated, refetch } = useQuery(POLICIES, { namespace: namespace ?? null, ...page.variables });
  const policies = data?.policies.nodes;
  const add = (
    <GuardedButton
      needs={right('policies.write')}
      onClick={() => router.push(withNamespace('/policies/new'))}
      leftSection={<IconPlus size={15} />}
    >
      New policy
    </GuardedButton>
  );
  return (
    <>
      <PageHeader
        title="Policies"
        lead="How a call chooses its instance and what happens when that fails. The most specific match decides; calls that match none use the built-in default."
        actions={
          <>
            <NsLink href="/explain" size="sm">
              Explain a route
            </NsLink>
            {add}
          </>
        }
      />
      {failure !== undefined && <FailureNotice failure={failure} onRetry={refetch} />}
      {policies === undefined && failure === undefined && <RowsSkeleton />}
      {policies?.length === 0 && (
        <Empty title="Only the built-in default is in force" action={add}>
          It scores load, latency and affinity, tries twice more after a failure, and derives its timeout from recent
          calls. Add a policy where a capability needs something else.
        </Empty>
      )}
      {policies !== undefined && policies.length > 0 && (
        <DataTable
          label="Policies"
          minWidth={520}
          stale={outdated}
          head={
            <>
              <th scope="col">Policy</th>
              <th scope="col">Matches</th>
              <th scope="col">Strategy</th>
              <th scope="col">In force</th>
              <th scope="col" data-number data-wide>
                Timeout
              </th>
              <th scope="col" data-wider>
                Saved
              </th>
            </>
          }
        >
          {policies.map((policy) => (
            <PolicyRow key={policy.id} policy={policy} />
          ))}
        </DataTable>
      )}
      <Pager page={page} info={data?.policies.pageInfo} count={policies?.length ?? 0} noun="policies" />
    </>
  );
}
