'use client';

import { Group, SegmentedControl } from '@mantine/core';
import { AUDIT_ENTRIES } from '@/features/audit/audit.operations';
import { AuditTable } from '@/features/audit/audit-table';
import { useQuery } from '@/graphql/use-query';
import { Empty } from '@/ui/empty';
import { FailureNotice } from '@/ui/failure-notice';
import { NsLink } from '@/ui/ns-link';
import { RowsSkeleton } from '@/ui/rows-skeleton';
import { useUrlState } from '@/ui/url-state';

/** The newest calls that reached the agent, or that it made. */
export function AgentCalls({ agent }: { agent: string }) {
  const url = useUrlState();
  const made = url.get('calls') === 'made';
  const filter = { kinds: ['CALL' as const], ...(made ? { caller: `agent:${agent}` } : { target: agent }) };
  const { data, failure, outdated, refetch } = useQuery(AUDIT_ENTRIES, {
    namespace: null,
    filter,
    first: 25,
    after: null,
  });
  const entries = data?.auditEntries.nodes;
  const auditHref = `/audit?kind=CALL&${made ? `caller=agent:${agent}` : `target=${agent}`}`;
  return (
    <>
      <Group justify="space-between" mb="sm">
        <SegmentedControl
          size="xs"
          aria-label="Direction of calls"
          value={made ? 'made' : 'received'}
          onChange={(value) => url.set({ calls: value === 'made' ? 'made' : null })}
          data={[
            { value: 'received', label: 'Received' },
            { value: 'made', label: 'Made' },
          ]}
        />
        <NsLink href={auditHref} size="sm">
          All of them in Audit
        </NsLink>
      </Group>
      {failure !== undefined && <FailureNotice failure={failure} onRetry={refetch} />}
      {entries === undefined && failure === undefined && <RowsSkeleton />}
      {entries?.length === 0 && (
        <Empty title={made ? 'It has called nobody yet' : 'Nobody has called it yet'}>
          {made
            ? 'Calls that this agent makes through its own token appear here.'
            : 'A caller needs a permission rule first; after that its calls appear here.'}
        </Empty>
      )}
      {entries !== undefined && entries.length > 0 && <AuditTable entries={entries} stale={outdated} />}
    </>
  );
}
