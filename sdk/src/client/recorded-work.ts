import type { RecallFrame, RefusalReason } from '../protocol/index.js';
import { Confirmations } from './confirmations.js';
import type { Execution } from './execution.js';
import type { LogLevel } from './options.js';
import { failureText, type OutcomeText, recalledFrame, resultFrame } from './outcome-text.js';
import type { Pool } from './pool.js';
import { type KnownRequest, keyText, type RequestKey, type RequestRecord } from './record/request-record.js';
import { whenThere } from './when-there.js';

/** What recorded work needs of the dispatches that it is part of. */
export interface RecordedHost {
  /** Why dispatches are refused at present, if they are. */
  refusing(): RefusalReason | undefined;
  accept(execution: Execution): void;
  refuse(dispatchId: string, reason: RefusalReason): void;
  /** Runs the handler of an execution that has its slot. */
  run(execution: Execution): void;
  /** Sends a result, now or when there is a connection. */
  tell(dispatchId: string, outcome: OutcomeText): void;
  forget(execution: Execution): void;
  /** A slot became free. */
  runNext(pool: Pool): void;
  /** False without a connection. */
  send(text: string): boolean;
  log(level: LogLevel, message: string): void;
}

const UNKNOWN = failureText({
  code: 'OUTCOME_UNKNOWN',
  message: 'an earlier process of this agent began this request and did not note its end',
});

/**
 * Executions that must not happen twice, and tasks: each request (caller, requestId) is looked up in the record before
 * its handler starts, and noted before it starts and before its result leaves. A repetition gets the first result, or
 * OUTCOME_UNKNOWN when an earlier process began it and left no end. An idempotent task is noted at its end only: when
 * its process dies, it may be executed again.
 */
export class RecordedWork {
  private readonly byKey = new Map<string, Execution>();
  private readonly confirmations = new Confirmations();

  constructor(
    private readonly host: RecordedHost,
    /** Until another is given. */
    private record: RequestRecord,
  ) {}

  use(record: RequestRecord): void {
    this.record = record;
    whenThere(
      () => record.unconfirmed(),
      (ends) => {
        for (const { caller, requestId, dispatchId, outcome } of ends)
          this.confirmations.await(dispatchId, { caller, requestId }, outcome);
        this.sendUnconfirmed();
      },
      (thrown) => this.troubled('unconfirmed', thrown),
    );
  }

  /** The execution of this request in this process. */
  running(key: RequestKey): Execution | undefined {
    return this.byKey.get(keyText(key));
  }

  /** A new dispatch: it starts, waits, is refused, or is answered with what is known of its request. */
  admit(execution: Execution): void {
    this.byKey.set(keyText(execution), execution);
    const { pool } = execution.work;
    if (this.host.refusing() === undefined && pool.hasSlot) {
      pool.take();
      this.begin(execution);
      return;
    }
    // What was executed here must be answered, not refused: the server would take it to another instance.
    whenThere(
      () => this.record.find(execution),
      (known) => {
        if (known !== undefined && isAnswer(known, execution)) this.answer(execution, known);
        else this.admitUnknown(execution);
      },
      (thrown) => this.unasked('find', thrown, execution),
    );
  }

  /** Starts an execution that has its slot, unless the record knows its request. */
  begin(execution: Execution): void {
    const { pool, idempotent } = execution.work;
    whenThere(
      () => (idempotent ? this.record.find(execution) : this.record.begin(execution)),
      (known) => {
        if (known === undefined || !isAnswer(known, execution)) {
          this.host.run(execution);
          return;
        }
        pool.release();
        this.answer(execution, known);
        this.host.runNext(pool);
      },
      (thrown) => {
        pool.release();
        this.unasked('begin', thrown, execution);
        this.host.runNext(pool);
      },
    );
  }

  /** The handler has ended. Without an outcome there is nothing to tell. */
  finish(execution: Execution, outcome: OutcomeText | undefined): void {
    if (outcome === undefined) {
      this.forget(execution);
      return;
    }
    const { caller, requestId, capability } = execution;
    const dispatchId = execution.newestDispatchId;
    const awaitsConfirmation = execution.task !== undefined;
    const deliver = (): void => this.deliver(execution, outcome);
    whenThere(
      () => this.record.end({ caller, requestId, capability, dispatchId, awaitsConfirmation, outcome }),
      deliver,
      (thrown) => {
        this.troubled('end', thrown);
        deliver();
      },
    );
  }

  /** It was not executed, and will not be. */
  decline(execution: Execution, outcome: OutcomeText): void {
    for (const dispatchId of [execution.dispatchId, ...execution.also]) this.host.tell(dispatchId, outcome);
    this.forget(execution);
  }

  /** Answers what became of a dispatch that does not run in this process. */
  recall(frame: RecallFrame): void {
    const { dispatchId } = frame;
    whenThere(
      () => this.record.find(frame),
      (known) => {
        const other = known !== undefined && known.capability !== (frame.capability ?? known.capability);
        const outcome = other ? usedBefore(frame.requestId, known.capability) : known?.outcome;
        if (outcome !== undefined) this.host.send(recalledFrame(dispatchId, outcome));
        else
          this.host.send(
            JSON.stringify({ type: 'recalled', dispatchId, state: known === undefined ? 'NEVER_SEEN' : 'UNKNOWN' }),
          );
      },
      // The server asks again.
      (thrown) => this.troubled('find', thrown),
    );
  }

  onResultAck(dispatchId: string): void {
    const key = this.confirmations.confirm(dispatchId);
    if (key === undefined) return;
    whenThere(
      () => this.record.confirmed(key),
      () => undefined,
      (thrown) => this.troubled('confirmed', thrown),
    );
  }

  sendUnconfirmed(): void {
    for (const text of this.confirmations.frames()) this.host.send(text);
  }

  close(): void {
    this.record.close?.();
  }

  private admitUnknown(execution: Execution): void {
    const { pool } = execution.work;
    const refusing = this.host.refusing();
    if (refusing !== undefined) this.refuse(execution, refusing);
    else if (pool.hasSlot) {
      pool.take();
      this.begin(execution);
    } else if (pool.hasPlace) {
      pool.enqueue(execution);
      this.host.accept(execution);
    } else this.refuse(execution, 'BUSY');
  }

  private answer(execution: Execution, known: KnownRequest): void {
    if (known.capability !== execution.capability) {
      this.decline(execution, usedBefore(execution.requestId, known.capability));
    } else if (known.outcome === undefined) this.decline(execution, UNKNOWN);
    else this.deliver(execution, known.outcome);
  }

  private deliver(execution: Execution, outcome: OutcomeText): void {
    const { caller, requestId, newestDispatchId } = execution;
    for (const dispatchId of [execution.dispatchId, ...execution.also]) {
      if (execution.task === undefined) this.host.tell(dispatchId, outcome);
      else {
        // Sent at once, and at each registration until it is confirmed, so it need not wait for a connection besides.
        if (dispatchId === newestDispatchId) this.confirmations.await(dispatchId, { caller, requestId }, outcome);
        this.host.send(resultFrame(dispatchId, outcome));
      }
    }
    this.forget(execution);
  }

  private refuse(execution: Execution, reason: RefusalReason): void {
    for (const dispatchId of [execution.dispatchId, ...execution.also]) this.host.refuse(dispatchId, reason);
    this.forget(execution);
  }

  /** The record could not say whether it was executed: nothing is executed, and the server may go elsewhere. */
  private unasked(method: string, thrown: unknown, execution: Execution): void {
    this.troubled(method, thrown);
    if (!execution.accepted) this.refuse(execution, 'BUSY');
    else
      this.decline(
        execution,
        failureText({ code: 'AGENT_ERROR', message: 'it could not be noted, and did not begin' }),
      );
  }

  private troubled(method: string, thrown: unknown): void {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    this.host.log('error', `the record of executed requests failed at ${method}: ${reason}`);
  }

  private forget(execution: Execution): void {
    const text = keyText(execution);
    if (this.byKey.get(text) === execution) this.byKey.delete(text);
    this.host.forget(execution);
  }
}

/** What a dispatch is answered whose request is another one here. It is not executed. */
export function usedBefore(requestId: string, capability: string): OutcomeText {
  return failureText({ code: 'AGENT_ERROR', message: `requestId ${requestId} was used for ${capability} before` });
}

/** Whether what is known keeps this execution from starting. */
function isAnswer(known: KnownRequest, execution: Execution): boolean {
  return known.outcome !== undefined || !execution.work.idempotent;
}
