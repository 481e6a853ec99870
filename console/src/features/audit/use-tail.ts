'use client';

import { useEffect, useState } from 'react';
import { follow, type StreamState } from '@/graphql/stream';
import { AUDIT_FEED, type AuditFilter, type AuditRow } from './audit.operations';

/** More than this is no longer read by a person; older ones are a page away. */
const MAX_ENTRIES = 200;

/** Entries that were recorded since the tail was switched on, newest first. */
export function useTail({
  active,
  namespace,
  filter,
}: {
  active: boolean;
  namespace: string | undefined;
  filter: AuditFilter;
}) {
  const [entries, setEntries] = useState<readonly AuditRow[]>([]);
  const [state, setState] = useState<StreamState>({ is: 'CONNECTING' });
  // The tail goes on into the future, so the range of the list doesn't bound it.
  const { from: _from, to: _to, ...rest } = filter;
  const key = JSON.stringify([namespace, rest]);

  // `key` stands for namespace and filter by value.
  useEffect(() => {
    setEntries([]);
    if (!active) return;
    const controller = new AbortController();
    void follow({
      operation: AUDIT_FEED,
      variables: { namespace: namespace ?? null, filter: rest },
      onState: setState,
      onEvent: (event) => {
        if (event.entries.length > 0) setEntries((old) => merge(event.entries, old));
      },
      signal: controller.signal,
    });
    return () => controller.abort();
  }, [active, key]);
  return { entries, state };
}

/** New entries before the old ones, by sequence, without doubles: a resumed stream may repeat some. */
export function merge(fresh: readonly AuditRow[], old: readonly AuditRow[]): readonly AuditRow[] {
  const bySequence = new Map([...old, ...fresh].map((entry) => [entry.sequence, entry]));
  return [...bySequence.values()]
    .sort((a, b) => (BigInt(b.sequence) > BigInt(a.sequence) ? 1 : -1))
    .slice(0, MAX_ENTRIES);
}
