import type { CallTarget, ErrorCode, WireError } from '@agent-reach/sdk/protocol';
import type { Clock } from '../../perceive/clock.js';
import type { CallRun } from '../calls/call-run.js';
import { requestIdTaken } from '../calls/failures.js';
import type { CallOutcome } from '../ports.js';
import { Queue } from './queue.js';

/** How long an outcome is remembered, ms. */
const KEPT_MS = 60_000;
const MAX_ENTRIES = 20_000;
const MAX_BYTES = 64 * 1024 * 1024;

/** Ends that say something about the execution; after any other the request may be run anew. */
const REMEMBERED: ReadonlySet<'OK' | ErrorCode> = new Set([
  'OK',
  'BUSINESS_ERROR',
  'AGENT_ERROR',
  'INVALID_RESULT',
  'OUTCOME_UNKNOWN',
] as const);

interface Entry {
  // What was asked for, by reference: nothing is built until somebody repeats it.
  readonly paramsHash: string;
  readonly namespace: string;
  readonly target: CallTarget;
  /** The run that executes; undefined when it has ended. */
  first: CallRun | undefined;
  outcome: CallOutcome | undefined;
  bytes: number;
  endedAt: number;
}

export type ReplayAnswer =
  | { readonly kind: 'FIRST' }
  | { readonly kind: 'CONFLICT'; readonly error: WireError }
  | { readonly kind: 'REPLAYED'; readonly outcome: CallOutcome }
  /** An earlier one of the same request still runs. */
  | { readonly kind: 'RUNNING'; readonly first: CallRun };

const FIRST: ReplayAnswer = { kind: 'FIRST' };

/**
 * One execution per (caller, requestId) within this server's memory: a repetition gets the first answer, a concurrent
 * duplicate waits for it (`waiters.ts`). Bounded in time, entries and bytes; the oldest goes first.
 */
export class Replays {
  readonly #entries = new Map<string, Entry>();
  /** Ended entries, oldest first. A queue of its own, because a Map's iterator walks over all that was deleted. */
  readonly #ended = new Queue<Ended>();
  #bytes = 0;

  constructor(private readonly clock: Clock) {}

  begin(run: CallRun): ReplayAnswer {
    const { key } = run;
    const entry = this.#entries.get(key);
    if (entry !== undefined && !this.#expired(entry)) {
      if (!asksTheSame(entry, run)) return { kind: 'CONFLICT', error: requestIdTaken(run) };
      if (entry.outcome !== undefined) return { kind: 'REPLAYED', outcome: entry.outcome };
      if (entry.first !== undefined) return { kind: 'RUNNING', first: entry.first };
    }
    const { paramsHash, namespace } = run;
    const { target } = run.request;
    this.#entries.set(key, {
      paramsHash,
      namespace,
      target,
      first: run,
      outcome: undefined,
      bytes: 0,
      endedAt: 0,
    });
    return FIRST;
  }

  /**
   * The first run ended: later repetitions get the same outcome, if it says something and is to be remembered. `bytes`:
   * size of its result on the wire.
   */
  end(run: CallRun, outcome: CallOutcome, bytes: number): void {
    const { key } = run;
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    entry.first = undefined;
    if (!run.forgotten && REMEMBERED.has(outcome.ok ? 'OK' : outcome.error.code)) {
      entry.outcome = outcome;
      // An agent may say as much of its failure as of its success.
      entry.bytes = outcome.ok ? bytes : JSON.stringify(outcome.error).length;
      entry.endedAt = this.clock.monotonic();
      this.#ended.push({ key, entry });
      this.#bytes += entry.bytes;
      this.#trim();
    } else {
      this.#entries.delete(key);
    }
  }

  /** Frees what is over its time; called now and then. */
  expire(): void {
    for (let oldest = this.#ended.first; oldest !== undefined; oldest = this.#ended.first) {
      if (!this.#expired(oldest.entry)) return;
      this.#dropOldest();
    }
  }

  #expired(entry: Entry): boolean {
    return entry.outcome !== undefined && this.clock.monotonic() - entry.endedAt > KEPT_MS;
  }

  #trim(): void {
    while (this.#ended.size > MAX_ENTRIES || this.#bytes > MAX_BYTES) this.#dropOldest();
  }

  #dropOldest(): void {
    const oldest = this.#ended.shift();
    if (oldest === undefined) return;
    this.#bytes -= oldest.entry.bytes;
    // A newer request may have taken the key since.
    if (this.#entries.get(oldest.key) === oldest.entry) this.#entries.delete(oldest.key);
  }
}

interface Ended {
  readonly key: string;
  readonly entry: Entry;
}

function asksTheSame(entry: Entry, run: CallRun): boolean {
  const { agent, type, capability, need, versions, tags } = run.request.target;
  return (
    entry.paramsHash === run.paramsHash &&
    entry.namespace === run.namespace &&
    entry.target.agent === agent &&
    entry.target.type === type &&
    entry.target.capability === capability &&
    entry.target.need === need &&
    entry.target.versions === versions &&
    sameTags(entry.target.tags, tags)
  );
}

function sameTags(one: readonly string[] = [], other: readonly string[] = []): boolean {
  return one.length === other.length && one.every((tag, index) => tag === other[index]);
}
