import type { Candidate } from '../candidate.js';
import { LoadBound } from './bounded-load.js';
import { ByCapability, capabilityOf } from './by-capability.js';
import { hash32 } from './hash.js';
import { drawLots, fewer, keepOnly } from './lots.js';
import { inFlightParts, relativeInFlight } from './measures.js';
import { RingKeeper } from './ring-keeper.js';
import { nearest } from './ring-points.js';
import type { StrategyContext, StrategyFactory } from './strategy.js';

/** Up to so many are searched one by one. */
const FEW = 16;

/** How the choice for a key came about. */
interface Found {
  readonly home: Candidate;
  readonly one: Candidate;
  readonly limit: LoadBound;
}

/**
 * By the call's affinity key: it belongs to the instance that comes next on the hash ring. Only the keys of a lost
 * instance move, to those that stand behind it, and they come back with it; a new one takes only its own share.
 *
 * Bounded load: an instance with more than 1.25 times its share of what is in flight, and one more, hands the call to
 * the next on the ring that has less, as long as no more than `spillPercent` percent of the choices of that
 * capability went elsewhere so. Source: consistent hashing with bounded loads (Mirrokni et al., 2016).
 *
 * A call without a key, or with an empty one, goes to the fewest in flight for the weight.
 */
export const consistentHash: StrategyFactory<'CONSISTENT_HASH'> = ({ spillPercent }) => {
  const rings = new RingKeeper();
  /** What may be spent on going elsewhere, in percent of a choice: each choice earns `spillPercent`, going costs 100. */
  const credits = new ByCapability<number>();

  /** The credit that a choice would have if it were made now. No more than one is ever saved up. */
  function creditOf(context: StrategyContext): number {
    return Math.min(100, credits.get(capabilityOf(context)) ?? 0) + spillPercent;
  }

  /** The first of a pool from a place on the ring on, or the first that has less than the bound. */
  function firstOf(pool: readonly Candidate[], place: number, context: StrategyContext, limit?: LoadBound) {
    const passes = (candidate: Candidate) => limit?.isOver(candidate) !== true;
    if (context.drawn) return pool.find(passes);
    const ring = rings.of(context.listed);
    if (ring === undefined) return nearest(pool, place, passes);
    // The ring may be of other candidates, which stand for the same instances.
    const among = pool.length <= FEW ? undefined : new Map(pool.map((each) => [each.instance, each]));
    let first: Candidate | undefined;
    ring.walk(place, ({ instance }) => {
      const one = among === undefined ? pool.find((each) => each.instance === instance) : among.get(instance);
      if (one !== undefined && passes(one)) first = one;
      return first === undefined;
    });
    return first;
  }

  return {
    draw(list, context, count) {
      const key = context.request.affinityKey;
      return key
        ? rings.of(list)?.from(hash32(key), fewer(count, 2))
        : drawLots(list.candidates, context.random, count);
    },
    narrow(pool, context, onDropped) {
      const key = context.request.affinityKey;
      if (!key) return;
      const place = hash32(key);
      const home = firstOf(pool, place, context);
      if (home === undefined) return;
      const limit = new LoadBound(pool);
      const spills = limit.isOver(home) && creditOf(context) >= 100;
      const one = (spills ? firstOf(pool, place, context, limit) : undefined) ?? home;
      const found: Found = { home, one, limit };
      context.scratch = found;
      keepOnly(pool, one, onDropped, (candidate) =>
        candidate === home ? `is the key's place on the ring, but ${limit.describe(home)}` : 'comes later on the ring',
      );
    },
    /** Without a key the fewest in flight; with one only one is left. */
    score: (candidate, context) => (context.request.affinityKey ? 0 : -relativeInFlight(candidate, context)),
    parts: inFlightParts,
    note(context) {
      if (!context.request.affinityKey) return 'The call has no affinity key: the fewest in flight decides instead.';
      const found = context.scratch as Found | undefined;
      if (found === undefined || !found.limit.isOver(found.home)) return undefined;
      const why = `${found.home.instance.ref} ${found.limit.describe(found.home)}`;
      if (found.one !== found.home) return `${why}; the next on the ring that has less took the call.`;
      return `${why}; it kept the call since nobody has less or ${spillPercent} % of the choices went elsewhere already.`;
    },
    chosen(candidate, context) {
      const found = context.scratch as Found | undefined;
      if (found === undefined) return;
      const spilled = candidate !== found.home && candidate === found.one;
      credits.set(capabilityOf(context), creditOf(context) - (spilled ? 100 : 0));
    },
    capture: (_candidates, capability) => credits.get(capability) ?? 0,
    restore(state, _candidates, capability) {
      credits.set(capability, state as number);
    },
  };
};
