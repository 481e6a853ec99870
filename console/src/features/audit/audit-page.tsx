'use client';

import { Button, Group, Switch } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { StreamMark } from '@/features/live/stream-mark';
import { useShell } from '@/features/shell/shell-context';
import { useQuery } from '@/graphql/use-query';
import { Empty } from '@/ui/empty';
import { FailureNotice } from '@/ui/failure-notice';
import { PageHeader } from '@/ui/page-header';
import { Pager } from '@/ui/pager';
import { RowsSkeleton } from '@/ui/rows-skeleton';
import { useUrlState } from '@/ui/url-state';
import { FIRST_PAGE, useCursorPage } from '@/ui/use-cursor-page';
import { AUDIT_ENTRIES } from './audit.operations';
import { AuditAlarm } from './audit-alarm';
import { AuditFilters } from './audit-filters';
import { AuditTable } from './audit-table';
import { NO_AUDIT_FILTER, readAuditFilter } from './audit-view';
import { useTail } from './use-tail';

const PAGE_SIZE = 50;

/** What happened: every call, change, refusal and transition, newest first. */
export function AuditPage() {
  const url = useUrlState();
  const { namespace } = useShell();
  const page = useCursorPage(PAGE_SIZE);
  const [refreshedAt, setRefreshedAt] = useState(() => Date.now());
  // A preset stands still while one pages through it, and moves on when one asks anew.
  const filter = useMemo(() => readAuditFilter(url, refreshedAt), [url, refreshedAt]);
  const { data, failure, outdated, loading } = useQuery(AUDIT_ENTRIES, {
    namespace: namespace ?? null,
    filter,
    ...page.variables,
  });

  const tailing = url.get('tail') === '1' && page.isFirst;
  const tail = useTail({ active: tailing, namespace, filter });
  const queried = data?.auditEntries.nodes;
  const entries = useMemo(() => {
    if (queried === undefined) return undefined;
    const known = new Set(queried.map(({ sequence }) => sequence));
    return [...(tailing ? tail.entries.filter(({ sequence }) => !known.has(sequence)) : []), ...queried];
  }, [queried, tail.entries, tailing]);

  const refresh = () => setRefreshedAt(Date.now());
  const filtered = Object.keys(filter).some((name) => name !== 'from');
  return (
    <>
      <PageHeader
        title="Audit"
        lead="Every call, change, refusal and state transition, newest first. An entry never changes."
        actions={
          <Group gap="sm">
            {tailing && <StreamMark state={tail.state} />}
            <Switch
              size="sm"
              label="Live tail"
              checked={tailing}
              onChange={(event) => url.set({ tail: event.currentTarget.checked ? '1' : null, ...FIRST_PAGE })}
            />
            <Button
              variant="default"
              onClick={refresh}
              loading={loading && data !== undefined}
              leftSection={<IconRefresh size={15} />}
            >
              Refresh
            </Button>
          </Group>
        }
      />
      <AuditAlarm />
      <AuditFilters />
      {failure !== undefined && <FailureNotice failure={failure} onRetry={refresh} />}
      {entries === undefined && failure === undefined && <RowsSkeleton rows={10} />}
      {entries !== undefined && entries.length > 0 && <AuditTable entries={entries} stale={outdated} />}
      {entries?.length === 0 && (
        <Empty
          title={filtered ? 'No entry matches' : 'Nothing happened in this time'}
          action={
            <Button variant="default" size="xs" onClick={() => url.set({ ...NO_AUDIT_FILTER, range: 'all' })}>
              {filtered ? 'Clear the filters and look at all time' : 'Look at all time'}
            </Button>
          }
        >
          Callers, targets and capabilities are compared whole: <code>agent:orders/desk</code>, <code>orders/desk</code>
          , <code>reserve_stock</code>.
        </Empty>
      )}
      <Pager page={page} info={data?.auditEntries.pageInfo} count={entries?.length ?? 0} noun="entries" />
    </>
  );
}
