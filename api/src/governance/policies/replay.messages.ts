import type { Policy } from '@agent-reach/sdk/decide';
import type { ReplaySummary } from './replay-tally.js';

/** What a replay is about. */
export interface ReplayJob {
  /** The id by which the draft is among the policies. */
  readonly draft: string;
  /** The policies that would be in force, the draft among them. */
  readonly policies: readonly Policy[];
}

/** What the worker is given before it starts. */
export interface ReplayWorkerData extends ReplayJob {
  /** For how long it replays at most, in ms; what is left then stays out of the counts. */
  readonly budgetMs: number;
}

/**
 * To the worker: recorded calls in their order, since strategies that remember what they chose go on from one to the
 * next. The last message is the one that says so.
 */
export interface ReplayCalls {
  readonly walls: readonly number[];
  readonly texts: readonly string[];
  readonly last: boolean;
}

/** From the worker, once, after the last calls. */
export type ReplayAnswer = ReplaySummary;
