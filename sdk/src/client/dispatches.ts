import {
  type CancelReason,
  type DispatchFrame,
  type JsonObject,
  type RecallFrame,
  type RefusalReason,
  type WelcomeFrame,
} from '../protocol/index.js';
import { ackText, refusalText } from './ack-text.js';
import { Execution, type ExecutionHost, type ExecutionWork, type Handler } from './execution.js';
import { isOver, tooLarge } from './frame-size.js';
import type { LogLevel } from './options.js';
import { Outbox } from './outbox.js';
import { failureText, type OutcomeText } from './outcome-text.js';
import { Pool } from './pool.js';
import { progressFrame } from './progress-frame.js';
import { MemoryRecord } from './record/memory-record.js';
import type { RequestRecord } from './record/request-record.js';
import { type RecordedHost, RecordedWork, usedBefore } from './recorded-work.js';
import { Runner } from './runner.js';

/** What dispatches need of the connection. */
export interface DispatchHost extends ExecutionHost {
  readonly welcome: WelcomeFrame | undefined;
  send(text: string): boolean;
  flushSoon(): void;
  log(level: LogLevel, message: string): void;
}

export interface DispatchLimits {
  readonly maxConcurrency: number;
  readonly maxQueue: number;
  readonly maxTasks: number;
}

/** One capability as this process serves it. */
export interface Served {
  readonly handler: Handler;
  readonly idempotent: boolean;
}

/**
 * The dispatches of one instance. A handler that is done within the turn in which its dispatch came sends only its
 * result, which counts as the ack; for all others the ack leaves at the end of that turn, whatever the handlers do.
 * What isn't an idempotent call goes through the record: see `RecordedWork`.
 */
export class Dispatches {
  /** By dispatchId; an execution that answers several dispatches is there under each. */
  private readonly open = new Map<string, Execution>();
  private readonly calls: Pool;
  private readonly tasks: Pool;
  private readonly recorded: RecordedWork;
  private readonly outbox: Outbox;
  private readonly runner: Runner;
  /** What an idempotent call is, by capability: the same for all of them. */
  private readonly plainWork = new Map<string, ExecutionWork>();
  private unacked: Execution[] = [];
  private refusing: RefusalReason | undefined;
  private idleWaiters: (() => void)[] = [];

  constructor(
    private readonly handlers: ReadonlyMap<string, Served>,
    limits: DispatchLimits,
    private readonly host: DispatchHost,
    onQueueChange: () => void = () => {},
  ) {
    this.calls = new Pool(limits.maxConcurrency, limits.maxQueue, onQueueChange);
    this.tasks = new Pool(limits.maxTasks, 0);
    this.outbox = new Outbox((text) => host.send(text));
    this.runner = new Runner(host, this.finish);
    const recordedHost: RecordedHost = {
      refusing: () => this.refusing,
      accept: (execution) => this.accept(execution),
      refuse: (dispatchId, reason) => this.host.send(refusalText(dispatchId, reason)),
      run: (execution) => this.run(execution),
      tell: (dispatchId, outcome) => this.outbox.tell(dispatchId, outcome, true),
      forget: (execution) => this.forget(execution),
      runNext: (pool) => this.runNext(pool),
      send: (text) => this.outbox.send(text),
      log: (level, message) => this.host.log(level, message),
    };
    this.recorded = new RecordedWork(recordedHost, new MemoryRecord(() => host.clock.wall()));
  }

  /** Calls whose handlers run now. */
  get inFlight(): number {
    return this.calls.running;
  }

  /** Tasks whose handlers run now. */
  get tasksRunning(): number {
    return this.tasks.running;
  }

  get queued(): number {
    return this.calls.waiting;
  }

  /** Where executed requests are remembered from here on; given once, before the first dispatch. */
  useRecord(record: RequestRecord): void {
    this.recorded.use(record);
  }

  onDispatch(frame: DispatchFrame): void {
    const known = this.open.get(frame.dispatchId);
    if (known !== undefined) {
      if (known.accepted) this.host.send(ackText(frame.dispatchId));
      return;
    }
    const served = this.handlers.get(frame.capability);
    if (served !== undefined && (frame.task !== undefined || !served.idempotent)) this.admitRecorded(frame, served);
    else this.admit(frame, served);
  }

  onCancel(dispatchId: string, reason: CancelReason): void {
    const execution = this.open.get(dispatchId);
    if (execution === undefined) return;
    // Another dispatch waits for the same execution: only this one is over.
    if (dispatchId !== execution.newestDispatchId) this.open.delete(dispatchId);
    else this.cancel(execution, reason);
  }

  /** The server was restarted and asks what became of a dispatch. */
  onRecall(frame: RecallFrame): void {
    const running = this.open.get(frame.dispatchId) ?? this.recorded.running(frame);
    if (running === undefined || running.capability !== (frame.capability ?? running.capability)) {
      this.recorded.recall(frame);
      return;
    }
    if (!this.open.has(frame.dispatchId)) this.attach(running, frame.dispatchId);
    this.host.send(JSON.stringify({ type: 'recalled', dispatchId: frame.dispatchId, state: 'RUNNING' }));
  }

  onResultAck(dispatchId: string): void {
    this.recorded.onResultAck(dispatchId);
  }

  /** The acks of this turn that no result has made superfluous. */
  onFlush(): void {
    if (this.unacked.length === 0) return;
    const due = this.unacked;
    this.unacked = [];
    // One that has ended may still wait for the record.
    for (const execution of due)
      if (!execution.settled || (execution.work.recorded && this.open.has(execution.dispatchId)))
        this.host.send(ackText(execution.dispatchId));
  }

  /** The instance is registered on this connection. `remembered`: the server still knows what it dispatched. */
  onRegistered(remembered: boolean): void {
    this.outbox.onRegistered(remembered);
    this.recorded.sendUnconfirmed();
    for (const execution of new Set(this.open.values())) {
      const { unsentProgress } = execution;
      execution.unsentProgress = undefined;
      if (unsentProgress !== undefined) this.progress(execution, unsentProgress);
    }
  }

  onLost(): void {
    this.outbox.onLost();
    this.unacked = [];
  }

  /** From here on every dispatch is refused, unless it repeats what was executed. */
  refuseAll(reason: RefusalReason): void {
    this.refusing = reason;
  }

  /** Resolves when no handler runs or waits. */
  idle(): Promise<void> {
    if (this.open.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.idleWaiters.push(resolve);
    });
  }

  /** Tells all handlers to stop. */
  cancelAll(reason: CancelReason): void {
    for (const execution of new Set(this.open.values())) this.cancel(execution, reason);
  }

  /** The agent has stopped: lets go of the record. */
  close(): void {
    this.recorded.close();
  }

  private admit(frame: DispatchFrame, served: Served | undefined): void {
    if (this.refusing !== undefined) {
      this.host.send(refusalText(frame.dispatchId, this.refusing));
      return;
    }
    const { calls } = this;
    const full = !calls.hasSlot;
    if (full && !calls.hasPlace) {
      this.host.send(refusalText(frame.dispatchId, 'BUSY'));
      return;
    }
    const execution = new Execution(frame, this.outbox.generation, this.plain(frame.capability, served), this.host);
    this.open.set(frame.dispatchId, execution);
    execution.accepted = true;
    this.ackSoon(execution);
    if (full) calls.enqueue(execution);
    else {
      calls.take();
      this.run(execution);
    }
  }

  private admitRecorded(frame: DispatchFrame, { handler, idempotent }: Served): void {
    const running = this.recorded.running(frame);
    if (running !== undefined && running.capability !== frame.capability) {
      this.outbox.tell(frame.dispatchId, usedBefore(frame.requestId, running.capability), true);
      return;
    }
    // A cancelled idempotent task ends without a word; its next dispatch is another execution.
    if (running !== undefined && !(idempotent && running.cancelled !== undefined)) {
      this.attach(running, frame.dispatchId);
      if (running.accepted) this.host.send(ackText(frame.dispatchId));
      return;
    }
    const pool = frame.task === undefined ? this.calls : this.tasks;
    const work = { handler, idempotent, recorded: true, pool, progress: this.progress };
    const execution = new Execution(frame, this.outbox.generation, work, this.host);
    this.open.set(frame.dispatchId, execution);
    this.recorded.admit(execution);
  }

  private attach(execution: Execution, dispatchId: string): void {
    execution.also = [...execution.also, dispatchId];
    this.open.set(dispatchId, execution);
  }

  private plain(capability: string, served: Served | undefined): ExecutionWork {
    let work = this.plainWork.get(capability);
    if (work === undefined) {
      const { handler } = served ?? { handler: undefined };
      work = { handler, idempotent: true, recorded: false, pool: this.calls, progress: this.progress };
      if (served !== undefined) this.plainWork.set(capability, work);
    }
    return work;
  }

  /** Runs the handler of an execution that has its slot. */
  private run(execution: Execution): void {
    if (!execution.accepted) this.accept(execution);
    if (execution.work.recorded && execution.cancelled !== undefined)
      this.runner.fail(execution, new Error('it was cancelled before it began'));
    else this.runner.run(execution);
  }

  private accept(execution: Execution): void {
    execution.accepted = true;
    if (execution.task === undefined) this.ackSoon(execution);
    // A task is accepted before anything else is said about it.
    else this.host.send(ackText(execution.dispatchId));
    for (const dispatchId of execution.also) this.host.send(ackText(dispatchId));
  }

  private readonly finish = (execution: Execution, outcome: OutcomeText | undefined): void => {
    execution.settle();
    const { pool, recorded } = execution.work;
    pool.release();
    if (recorded) this.recorded.finish(execution, outcome);
    else {
      if (outcome !== undefined && execution.generation === this.outbox.generation)
        this.outbox.tell(execution.dispatchId, outcome, false);
      this.forget(execution);
    }
    this.runNext(pool);
  };

  /** Starts what waits, passing over what nobody waits for any more. */
  private runNext(pool: Pool): void {
    if (!pool.hasSlot) return;
    let next = pool.dequeue();
    while (next !== undefined && next.remainingMs() === 0) {
      this.leaveQueue(next, 'its time was over before it began');
      next = pool.dequeue();
    }
    if (next === undefined) return;
    pool.take();
    if (next.work.recorded) this.recorded.begin(next);
    else this.run(next);
  }

  private cancel(execution: Execution, reason: CancelReason): void {
    execution.cancel(reason);
    if (execution.work.pool.leave(execution)) this.leaveQueue(execution, 'it was cancelled before it began');
  }

  /** Not executed, and never will be. The server waits for what must not be repeated, so it is told. */
  private leaveQueue(execution: Execution, why: string): void {
    if (execution.work.recorded) this.recorded.decline(execution, failureText({ code: 'AGENT_ERROR', message: why }));
    else this.forget(execution);
  }

  private forget(execution: Execution): void {
    execution.settle();
    this.open.delete(execution.dispatchId);
    for (const dispatchId of execution.also) this.open.delete(dispatchId);
    if (this.open.size > 0 || this.idleWaiters.length === 0) return;
    const waiters = this.idleWaiters;
    this.idleWaiters = [];
    for (const resolve of waiters) resolve();
  }

  private ackSoon(execution: Execution): void {
    this.unacked.push(execution);
    this.host.flushSoon();
  }

  private readonly progress = (execution: Execution, data: JsonObject): void => {
    const text = progressFrame(execution.newestDispatchId, execution.sequence + 1, data);
    if (isOver(text, this.maxFrameBytes)) throw tooLarge('progress', text, this.maxFrameBytes);
    if (this.outbox.send(text)) execution.sequence += 1;
    else execution.unsentProgress = data;
  };

  private get maxFrameBytes(): number {
    return this.host.welcome?.limits.maxFrameBytes ?? Number.POSITIVE_INFINITY;
  }
}
