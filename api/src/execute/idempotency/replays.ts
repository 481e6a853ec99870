import { type CallTarget, type ErrorCode, ReachError, type WireError } from '@agent-reach/sdk/protocol';
import type { Clock } from '../../perceive/clock.js';
import type { CallRun } from '../calls/call-run.js';
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

type Waiter = (outcome: CallOutcome) => void;

interface Entry {
  // What was asked for, by reference: nothing is built until somebody repeats it.
  readonly paramsHash: string;
  readonly namespace: string;
  readonly target: CallTarget;
  /** The run that executes; undefined when it has ended. */
  first: CallRun | undefined;
  /** Undefined while nobody waits. */
  waiters: Set<Waiter> | undefined;
  outcome: CallOutcome | undefined;
  bytes: number;
  endedAt: number;
}

export type ReplayAnswer =
  | { readonly kind: 'FIRST' }
  | { readonly kind: 'CONFLICT'; readonly error: WireError }
  | { readonly kind: 'REPLAYED'; readonly outcome: CallOutcome }
  | { readonly kind: 'JOINED'; readonly first: CallRun; readonly join: (waiter: Waiter) => Leave };

/** Stops waiting; answers whether nobody waits any more. */
export type Leave = () => boolean;

const FIRST: ReplayAnswer = { kind: 'FIRST' };

/**
 * One execution per (caller, requestId) within this server's memory: a repetition gets the first answer, a concurrent
 * duplicate waits for it. Bounded in time, entries and bytes; the oldest goes first.
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
      if (!asksTheSame(entry, run)) return { kind: 'CONFLICT', error: otherRequest(run) };
      if (entry.outcome !== undefined) return { kind: 'REPLAYED', outcome: entry.outcome };
      if (entry.first !== undefined) {
        return { kind: 'JOINED', first: entry.first, join: (waiter) => join(entry, waiter) };
      }
    }
    const { paramsHash, namespace } = run;
    const { target } = run.request;
    this.#entries.set(key, {
      paramsHash,
      namespace,
      target,
      first: run,
      waiters: undefined,
      outcome: undefined,
      bytes: 0,
      endedAt: 0,
    });
    return FIRST;
  }

  /** Whether others wait for this run. */
  awaited(run: CallRun): boolean {
    return this.#entries.get(run.key)?.waiters !== undefined;
  }

  /** The first run ended: its waiters get the same outcome, and later repetitions if it says something. */
  end(run: CallRun, outcome: CallOutcome, bytes: number): void {
    const { key } = run;
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const { waiters } = entry;
    entry.first = undefined;
    if (REMEMBERED.has(outcome.ok ? 'OK' : outcome.error.code)) {
      entry.outcome = outcome;
      entry.waiters = undefined;
      entry.bytes = bytes;
      entry.endedAt = this.clock.monotonic();
      this.#ended.push({ key, entry });
      this.#bytes += bytes;
      this.#trim();
    } else {
      this.#entries.delete(key);
    }
    for (const waiter of waiters ?? []) waiter(outcome);
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

function join(entry: Entry, waiter: Waiter): Leave {
  const waiters = entry.waiters ?? new Set();
  entry.waiters = waiters;
  waiters.add(waiter);
  return () => {
    waiters.delete(waiter);
    if (waiters.size === 0 && entry.waiters === waiters) entry.waiters = undefined;
    return entry.waiters === undefined;
  };
}

function otherRequest(run: CallRun): WireError {
  return new ReachError(
    'CONFLICT',
    `The requestId ${JSON.stringify(run.request.requestId)} was used by ${run.caller.caller} for another target or other parameters; use a new one for a new request.`,
  ).toWire();
}
