'use client';

import { Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useRouter } from 'next/navigation';
import { useShell } from '@/features/shell/shell-context';
import { useRights } from '@/features/shell/use-rights';
import { useQuery } from '@/graphql/use-query';
import { DataTable } from '@/ui/data-table';
import { Empty } from '@/ui/empty';
import { FailureNotice } from '@/ui/failure-notice';
import { duration } from '@/ui/format';
import { GuardedButton } from '@/ui/guarded-button';
import { Mono } from '@/ui/mono';
import { NsLink, useNamespaceHref } from '@/ui/ns-link';
import { PageHeader } from '@/ui/page-header';
import { Pager } from '@/ui/pager';
import { RowsSkeleton } from '@/ui/rows-skeleton';
import { Ago } from '@/ui/time';
import { useCursorPage } from '@/ui/use-cursor-page';
import { POLICIES, type PolicyDetail } from './policies.operations';
import { draftOf, valueAt } from './policy-draft';

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
              <th scope="col" data-number data-wide>
                Timeout
              </th>
              <th scope="col" data-number data-wide>
                Retries
              </th>
              <th scope="col" data-number>
                Worst case
              </th>
              <th scope="col" data-wider>
                Saved
              </th>
            </>
          }
        >
          {policies.map((policy) => (
            <Row key={policy.id} policy={policy} />
          ))}
        </DataTable>
      )}
      <Pager page={page} info={data?.policies.pageInfo} count={policies?.length ?? 0} noun="policies" />
    </>
  );
}

function Row({ policy }: { policy: PolicyDetail }) {
  const draft = draftOf(policy.content);
  const text = (path: string) => String(valueAt(draft, path));
  const timeoutMs = valueAt(draft, 'timeoutMs');
  const tags = valueAt(draft, 'match.tags');
  return (
    <tr>
      <th scope="row">
        <NsLink href={`/policies/${policy.id}`} size="sm" fw={500}>
          {policy.name}
        </NsLink>
        <Text size="xs" c="dimmed">
          {policy.namespace} · version {policy.version}
        </Text>
      </th>
      <td>
        <Mono>{text('match.capability')}</Mono>
        <Text size="xs" c="dimmed">
          from <Mono>{text('match.caller')}</Mono>
          {Array.isArray(tags) && tags.length > 0 && ` · tags ${tags.join(', ')}`}
        </Text>
      </td>
      <td>
        <Mono>{text('strategy.name')}</Mono>
      </td>
      <td data-number data-wide>
        {typeof timeoutMs === 'number' ? duration(timeoutMs) : 'derived'}
      </td>
      <td data-number data-wide>
        {text('retry.maxRetries')}
      </td>
      <td data-number>{duration(policy.worstCaseMs)}</td>
      <td data-wider>
        <Ago iso={policy.updatedAt} />
        <Text size="xs" c="dimmed">
          {policy.author}
        </Text>
      </td>
    </tr>
  );
}
