import type { Decision } from '@agent-reach/sdk/decide';
import type { AgentRef } from '@agent-reach/sdk/protocol';
import type { Instance } from '../../perceive/instance.js';
import type { Attempt } from '../attempts/attempt.js';
import { type CallRun, markTried } from './call-run.js';

/** Calls nested deeper than this are refused as a loop. */
const MAX_DEPTH = 8;

/** The agents that a call came through, newest first; what loops are judged by. */
export interface Chain {
  readonly agent: AgentRef;
  readonly depth: number;
  readonly above: Chain | undefined;
  /** The agent didn't say what it calls for: the depth counts, who stands above may have nothing to do with it. */
  readonly assumed: boolean;
}

/** The chain of a call that is made while an attempt is served. `named`: the call says so itself. */
export function chainOf(serving: Attempt, named: boolean): Chain {
  const above = serving.run.chain;
  return { agent: serving.instance.agent, depth: (above?.depth ?? 0) + 1, above, assumed: !named };
}

/** Entering an agent that is already waiting further up, or nesting too deeply. */
export function wouldLoop(chain: Chain | undefined, next: Instance): boolean {
  return tooDeep(chain) || reenters(chain, next);
}

/** Whoever it goes to. */
export function tooDeep(chain: Chain | undefined): boolean {
  return chain !== undefined && chain.depth >= MAX_DEPTH;
}

/** Entering an agent that is already waiting further up. */
export function reenters(chain: Chain | undefined, next: Instance): boolean {
  for (let link: Chain | undefined = chain; link !== undefined && !link.assumed; link = link.above) {
    if (link.agent === next.agent) return true;
  }
  return false;
}

/** The attempt of `first` in whose service the call is made, at whatever depth: waiting for `first`, it waits for itself. */
export function servedUnder({ serving }: CallRun, first: CallRun): Attempt | undefined {
  for (let attempt = serving; attempt !== undefined; attempt = attempt.run.serving) {
    if (attempt.run === first) return attempt;
  }
  return undefined;
}

/**
 * Of the attempts that an agent serves, the one furthest down; what a call of it that names none is counted under. `found`:
 * the one furthest down so far. The attempts may be many, and are walked for each such call.
 */
export function deepest(serving: Iterable<Attempt>, found?: Attempt): Attempt | undefined {
  let lowest = found;
  let depth = found === undefined ? -1 : depthOf(found);
  for (const attempt of serving) {
    if (depthOf(attempt) <= depth) continue;
    lowest = attempt;
    depth = depthOf(attempt);
  }
  return lowest;
}

function depthOf({ run }: Attempt): number {
  return run.chain?.depth ?? 0;
}

/**
 * Whether to decide once more because the choice fell on an agent that the call came through, though the caller left
 * the choice open. That instance then counts as tried, so that it is chosen again only when nobody else is left.
 */
export function passOver(run: CallRun, decision: Decision<Instance>): boolean {
  if (run.chain === undefined || run.target.agent !== undefined || decision.outcome !== 'OK') return false;
  const { instance } = decision.choice;
  if (!wouldLoop(run.chain, instance) || run.tried?.has(instance.ref) === true) return false;
  markTried(run, instance);
  return true;
}
