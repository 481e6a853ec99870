import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type CallerRef, ReachError } from '@agent-reach/sdk/protocol';
import { Gate } from '../gate.js';
import type { RecentCall } from './recent-calls.js';
import type { ReplayAnswer, ReplayCalls, ReplayJob, ReplayWorkerData } from './replay.messages.js';
import type { ReplaySummary } from './replay-tally.js';

export interface ReplayOptions {
  /** The worker's module. */
  readonly worker?: URL;
  /** For how long a worker replays at most, in ms; what is left then stays out of the counts. */
  readonly budgetMs?: number;
  /** After how long a worker that has not answered is ended, in ms. */
  readonly timeoutMs?: number;
  /** How many may wait for their turn. */
  readonly maxWaiting?: number;
}

/** Characters that are handed to the worker in one turn of the event loop: copying them takes about a millisecond. */
const BATCH_CHARACTERS = 1_000_000;
/** Heap of a worker in MiB: the calls are decoded one by one, so only the policies and one batch live at a time. */
const HEAP_MIB = 256;
const RETRY_AFTER_MS = 2_000;

/**
 * Replays recorded calls under other policies, each time in a thread of its own: one at a time, a few wait for their
 * turn. A worker that dies or hangs fails its own replay and nothing else.
 */
export class Replays {
  readonly #worker: URL;
  readonly #budgetMs: number;
  readonly #timeoutMs: number;
  readonly #maxWaiting: number;
  readonly #gate = new Gate(1);
  /** Who has a replay running or waiting. */
  readonly #open = new Set<CallerRef>();

  constructor(options: ReplayOptions = {}) {
    this.#worker = options.worker ?? new URL('./replay.worker.js', import.meta.url);
    this.#budgetMs = options.budgetMs ?? 20_000;
    this.#timeoutMs = options.timeoutMs ?? 40_000;
    this.#maxWaiting = options.maxWaiting ?? 4;
  }

  /**
   * @param calls the oldest first
   * @param by who wants to know; each has one at a time, so that nobody keeps replays from others
   * @param signal aborted when nobody waits for the answer any more
   * @throws ReachError RATE_LIMITED when too many wait or one of the same person runs, CANCELLED, INTERNAL (retryable) when the worker fails
   */
  async run(job: ReplayJob, calls: readonly RecentCall[], by: CallerRef, signal?: AbortSignal): Promise<ReplaySummary> {
    if (this.#open.has(by)) {
      throw new ReachError('RATE_LIMITED', 'Your last replay has not ended; repeat this in a moment.', {
        retryAfterMs: RETRY_AFTER_MS,
      });
    }
    if (this.#open.size > this.#maxWaiting) {
      throw new ReachError('RATE_LIMITED', 'Too many replays wait for their turn; repeat this in a moment.', {
        retryAfterMs: RETRY_AFTER_MS,
      });
    }
    this.#open.add(by);
    try {
      return await this.#gate.run(() => this.#replay(job, calls, signal));
    } finally {
      this.#open.delete(by);
    }
  }

  async #replay(job: ReplayJob, calls: readonly RecentCall[], signal: AbortSignal | undefined): Promise<ReplaySummary> {
    if (signal?.aborted === true) throw cancelled();
    const workerData: ReplayWorkerData = { ...job, budgetMs: this.#budgetMs };
    const worker = new Worker(this.#worker, {
      workerData,
      // It needs nothing of what the server was started with, and secrets least of all.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    });
    const ended = new AbortController();
    try {
      const answer = answerOf(worker, this.#timeoutMs, signal);
      // What goes wrong meanwhile is told by the answer.
      answer.catch(() => {}).finally(() => ended.abort());
      await send(worker, calls, ended.signal);
      return await answer;
    } finally {
      await worker.terminate();
    }
  }
}

/** The worker's answer; rejects when it fails, ends without one, takes too long, or is not needed any more. */
function answerOf(worker: Worker, timeoutMs: number, signal: AbortSignal | undefined): Promise<ReplayAnswer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(failed(`no answer within ${timeoutMs} ms`)), timeoutMs);
    const onAbort = (): void => reject(cancelled());
    signal?.addEventListener('abort', onAbort, { once: true });
    worker.once('message', (answer: ReplayAnswer) => resolve(answer));
    worker.once('error', (error) => reject(failed('the worker failed', error)));
    worker.once('exit', (code) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      reject(failed(`the worker ended with ${code}`));
    });
  });
}

/** Hands the calls over in portions, so that no turn of the event loop becomes long. */
async function send(worker: Worker, calls: readonly RecentCall[], ended: AbortSignal): Promise<void> {
  let next = 0;
  do {
    const walls: number[] = [];
    const texts: string[] = [];
    for (let characters = 0; characters < BATCH_CHARACTERS && next < calls.length; next += 1) {
      const call = calls[next];
      if (call === undefined) break;
      walls.push(call.wall);
      texts.push(call.text);
      characters += call.text.length;
    }
    worker.postMessage({ walls, texts, last: next >= calls.length } satisfies ReplayCalls);
    await nextTurn();
  } while (next < calls.length && !ended.aborted);
}

function failed(why: string, cause?: unknown): ReachError {
  return new ReachError('INTERNAL', `The replay failed (${why}); repeat it.`, { retryable: true, cause });
}

function cancelled(): ReachError {
  return new ReachError('CANCELLED', 'Nobody waits for the replay any more.');
}
