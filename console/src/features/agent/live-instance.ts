import type { InstanceHealth } from '@/features/live/health-change';
import type { InstanceRow } from './agent.operations';

/**
 * The instances as queried, each in the state that the stream has told since. An instance that the query doesn't know
 * yet waits for the next one; one that the stream says is gone leaves at once.
 */
export function liveInstances(
  queried: readonly InstanceRow[],
  live: ReadonlyMap<string, InstanceHealth> | undefined,
): readonly InstanceRow[] {
  if (live === undefined) return queried;
  return queried.flatMap((row) => {
    const news = live.get(row.ref);
    if (news === undefined) return row.lifecycle === 'GONE' ? [row] : [];
    const { lifecycle, health, reason, changedAt } = news;
    return [{ ...row, lifecycle, health, reason, changedAt }];
  });
}
