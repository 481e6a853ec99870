import type { CanarySettings } from './canary.settings.js';
import type { TrialFacts } from './trials.js';

/** How the instances of a version on trial are. */
export interface TrialInstances {
  /** Those that can take calls, their breakers aside. */
  readonly ready: number;
  /** Those of them whose breaker isn't closed, and why the first of these opened. */
  readonly broken: number;
  readonly breakerReason: string;
}

export type Judgement =
  | { readonly verdict: 'PROMOTED' | 'RETURNED'; readonly reason: string }
  /** `promoteInMs`: how long still, if all goes well; undefined while that depends on something else. */
  | { readonly verdict: 'GOES_ON'; readonly reason: string; readonly promoteInMs: number | undefined };

/** Calls from which on a version can be returned before its time is over. */
const ENOUGH_CALLS = 20;

/**
 * What is to become of a version on trial. Returned before its time when its breakers leave nobody to call, or when so
 * many calls failed that chance doesn't explain it; else it is judged when its time is over and enough calls came.
 */
export function judge(
  settings: CanarySettings,
  facts: TrialFacts,
  { ready, broken, breakerReason }: TrialInstances,
): Judgement {
  const { promoteAfterMs, promoteMinCalls, maxErrorPercent } = settings;
  const { calls, failures, watchedMs } = facts;
  const percent = calls === 0 ? 0 : (100 * failures) / calls;
  const failed = `${failures} of ${calls} calls failed`;
  const limit = `at most ${maxErrorPercent} % may`;

  if (ready > 0 && broken === ready) {
    const whose = ready === 1 ? 'its instance' : `all its ${ready} instances`;
    return returned(`the breaker of ${whose} is open: ${breakerReason}; ${failed}`);
  }
  if (calls >= ENOUGH_CALLS && percent > farOver(maxErrorPercent)) {
    return returned(`${failed} before its time was over, ${limit}`);
  }
  if (ready === 0) return goesOn('waits for an instance that can take calls', undefined);
  if (watchedMs < promoteAfterMs) return goesOn(`${failed}, ${limit}`, promoteAfterMs - watchedMs);
  if (calls < promoteMinCalls) return goesOn(`waits for ${promoteMinCalls - calls} more calls; ${failed}`, undefined);
  if (percent > maxErrorPercent) return returned(`${failed}, ${limit}`);
  return { verdict: 'PROMOTED', reason: `${failed} in ${seconds(watchedMs)} s, ${limit}` };
}

/** Twice the limit, or half the way to all of them where that is less. */
function farOver(maxErrorPercent: number): number {
  return Math.min(2 * maxErrorPercent, (maxErrorPercent + 100) / 2);
}

function returned(reason: string): Judgement {
  return { verdict: 'RETURNED', reason };
}

function goesOn(reason: string, promoteInMs: number | undefined): Judgement {
  return { verdict: 'GOES_ON', reason, promoteInMs };
}

function seconds(ms: number): string {
  return String(Math.round(ms / 100) / 10);
}
