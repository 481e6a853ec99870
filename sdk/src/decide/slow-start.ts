import type { Candidate, RouteInstance } from './candidate.js';
import type { LiveState } from './live.js';
import type { KeyState, Pass } from './pass.js';

/** With nothing at all, nobody would learn whether it can be relied on again. */
const LEAST_SHARE = 0.1;

/**
 * The part of its share that an instance gets at a moment, 0.1 to 1: while it is in slow start, the part of that time
 * that has passed.
 */
export function rampShare({ rampUntil, rampMs }: LiveState, monotonic: number): number {
  if (rampUntil <= monotonic) return 1;
  return Math.max(LEAST_SHARE, 1 - (rampUntil - monotonic) / rampMs);
}

/**
 * Passes over those that are in slow start, each with a probability of what its share lacks; nobody, when all would go.
 * For strategies whose best one gets the call, however little it is ahead: to them less weight means nothing or all.
 *
 * The instance that the call's key is bound to stays; and where a key has yet to start, nobody is passed over, since
 * `startKey` knows of slow starts itself.
 */
export function passOverRamping<I extends RouteInstance>(pass: Pass<I>, key: KeyState | undefined): void {
  const { pool, now, random, bound, observer } = pass;
  if (key !== undefined && (key.known === undefined || key.lost)) return;
  let passed: Set<Candidate<I>> | undefined;
  for (const candidate of pool) {
    const { live, ref } = candidate.instance;
    if (live.rampUntil <= now.monotonic || ref === bound) continue;
    if (random() >= 1 - rampShare(live, now.monotonic)) continue;
    passed ??= new Set();
    passed.add(candidate);
  }
  if (passed === undefined || passed.size === pool.length) return;
  let kept = 0;
  for (const candidate of pool) {
    if (!passed.has(candidate)) pool[kept++] = candidate;
    else if (observer?.dropped !== undefined) {
      const why = slowStartText(candidate.instance.live, now.monotonic);
      observer.dropped(candidate, 'STRATEGY', `${why}, and was passed over by lot`);
    }
  }
  pool.length = kept;
}

/** Of an instance in slow start, for explanations; undefined for any other. */
export function slowStartText(live: LiveState, monotonic: number): string | undefined {
  if (live.rampUntil <= monotonic) return undefined;
  const seconds = ((live.rampUntil - monotonic) / 1000).toFixed(1);
  return `is in slow start for another ${seconds} s, at ${Math.round(100 * rampShare(live, monotonic))} % of its share`;
}
