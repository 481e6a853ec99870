import { type CallTarget, TASK_TIMEOUT_MS, type WireError } from '@agent-reach/sdk/protocol';
import type { LiveCapability } from '../../perceive/capability.js';
import type { Clock } from '../../perceive/clock.js';
import type { Attempt } from '../attempts/attempt.js';
import type { CallRun } from '../calls/call-run.js';
import { randomId } from '../calls/random-id.js';
import type { NewTask, OpenTask, TaskDispatch, TaskKeeper, TaskStore } from '../tasks/tasks.port.js';
import { canonicalJson } from './canonical.js';
import type { ClaimAnswer, ClaimedAttempt, ClaimedOutcome, ClaimKey, ClaimStore, KnownClaim } from './claims.port.js';

/** What lets a call be sent that must not be executed twice: a durable claim, or a durable task. */
export type Hold =
  | { readonly kind: 'CLAIM'; readonly key: ClaimKey; dispatchId: string }
  /** `resumed`: the task was accepted before, and is dispatched again. */
  | { readonly kind: 'TASK'; readonly task: NewTask | OpenTask; dispatch: TaskDispatch; readonly resumed: boolean };

/** Whether an attempt may be sent, or what is known of its call already. */
export type Held =
  | { readonly kind: 'HELD' }
  | { readonly kind: 'KNOWN'; readonly claim: KnownClaim; readonly outcome: ClaimedOutcome }
  /** An earlier server began it, and nobody knows yet how it ended. */
  | { readonly kind: 'RECALL'; readonly claim: KnownClaim }
  | { readonly kind: 'ACCEPTED'; readonly taskId: string }
  /** The requestId was used for something else. */
  | { readonly kind: 'CONFLICT' }
  /** The task ended while it was dispatched again. */
  | { readonly kind: 'OVER' }
  /** Another server took over the database. */
  | { readonly kind: 'FENCED' };

export interface HoldDeps {
  readonly clock: Pick<Clock, 'wall'>;
  readonly claims: ClaimStore;
  readonly tasks: TaskStore;
  readonly keeper: TaskKeeper;
  /** Told of claims that end as OUTCOME_UNKNOWN though their instance may still answer. */
  readonly onUnknown: (key: ClaimKey, attempt: Attempt) => void;
}

/** Makes durable what a call needs before it is sent and before it is answered. */
export class Holds {
  constructor(private readonly deps: HoldDeps) {}

  /** Whether nothing may be sent before it is durable. */
  static needed({ capability, isTask }: Attempt): boolean {
    return isTask || Holds.claims(capability);
  }

  /** Whether calls of it are claimed. */
  static claims({ mode, idempotent }: Pick<LiveCapability, 'mode' | 'idempotent'>): boolean {
    return mode !== 'TASK' && !idempotent;
  }

  /** Makes it durable that this attempt, and no other, may be sent. Answers at most once; not when it is given back before. */
  hold(run: CallRun, attempt: Attempt, held: (answer: Held) => void): void {
    // The same name may be a task in one version and not in another: what was held for the one is of no use to the other.
    if (run.hold !== undefined && (run.hold.kind === 'TASK') !== attempt.isTask) this.giveBack(run);
    if (attempt.isTask) this.#holdTask(run, attempt, held);
    else this.#holdClaim(run, attempt, held);
  }

  /** What is known of an earlier call of this requestId; nothing if there was none. Returns how to stop waiting for it. */
  find(run: CallRun, found: (known: Held | undefined) => void): () => void {
    const key = { caller: run.caller.caller, requestId: run.request.requestId };
    return this.deps.claims.find(key, (claim) => found(claim === undefined ? undefined : knownBy(claim, run)));
  }

  /** Nothing was executed: the requestId is free again. */
  giveBack(run: CallRun): void {
    const { hold } = run;
    run.hold = undefined;
    if (hold === undefined) return;
    if (hold.kind === 'CLAIM') this.deps.claims.release(hold.key, hold.dispatchId);
    else if (!hold.resumed) this.deps.tasks.drop(hold.task.taskId);
  }

  /** Makes durable how it ended. `attempt`: the last one, when its instance may still answer. */
  keep(run: CallRun, hold: Hold, outcome: ClaimedOutcome, attempt: Attempt | undefined, done: () => void): void {
    if (hold.kind === 'CLAIM') {
      this.deps.claims.finish(hold.key, hold.dispatchId, outcome, done);
      if (attempt !== undefined) this.deps.onUnknown(hold.key, attempt);
    } else if (!outcome.ok) {
      const { taskId, epoch } = hold.dispatch;
      this.deps.tasks.end(taskId, epoch, { state: 'UNKNOWN', error: outcome.error }, done);
    } else done();
    run.hold = undefined;
  }

  /** An instance accepted the task; the keeper answers for it from here on. Returns its id. */
  accepted(run: CallRun, { instance }: Attempt): string | undefined {
    const { hold } = run;
    if (hold?.kind !== 'TASK') return undefined;
    run.hold = undefined;
    this.deps.keeper.accepted(hold.task, hold.dispatch, instance);
    return hold.task.taskId;
  }

  /** The caller had cancelled the task before it was accepted. */
  cancel({ caller }: CallRun, taskId: string): void {
    void this.deps.keeper.cancel(taskId, caller.sentBy ?? caller.caller, 'CALLER');
  }

  #holdClaim(run: CallRun, attempt: Attempt, held: (answer: Held) => void): void {
    const { claims } = this.deps;
    const to = claimedAttempt(attempt);
    if (run.hold?.kind === 'CLAIM') {
      run.hold.dispatchId = attempt.dispatchId;
      return claims.move(run.hold.key, to, () => held(HELD));
    }
    const { caller } = run.caller;
    const { requestId, target } = run.request;
    const { paramsHash } = run;
    const namespace = askedNamespace(run);
    const { instance, incarnation, dispatchId } = to;
    const capability = attempt.capability.name;
    run.hold = { kind: 'CLAIM', key: { caller, requestId }, dispatchId };
    // Spelled out: on the way of each such call, spreading parts into it costs more than the rest of this.
    const claim = { caller, requestId, namespace, target, capability, paramsHash, instance, incarnation, dispatchId };
    claims.claim(claim, (answer) => {
      if (answer.kind !== 'CLAIMED') run.hold = undefined;
      held(heldBy(answer, run));
    });
  }

  #holdTask(run: CallRun, attempt: Attempt, held: (answer: Held) => void): void {
    const { tasks, clock, keeper } = this.deps;
    const { hold } = run;
    if (hold?.kind === 'TASK') {
      const past = hold.dispatch;
      hold.dispatch = dispatchOf(attempt, hold.task.taskId, past.epoch + 1);
      attempt.task = taskOf(hold.dispatch, hold.task.deadlineAt - clock.wall());
      return tasks.move(hold.dispatch, (moved) => {
        if (moved) keeper.superseded(past);
        held(moved ? HELD : { kind: 'OVER' });
      });
    }
    const task = this.#newTask(run, attempt);
    run.hold = { kind: 'TASK', task, dispatch: task, resumed: false };
    attempt.task = taskOf(task, task.deadlineAt - clock.wall());
    tasks.open(task, (answer) => {
      if (answer.kind === 'OPENED') return held(HELD);
      run.hold = undefined;
      if (answer.kind === 'FENCED') held(answer);
      else held(answer.sameRequest ? { kind: 'ACCEPTED', taskId: answer.taskId } : { kind: 'CONFLICT' });
    });
  }

  #newTask(run: CallRun, attempt: Attempt): NewTask {
    const { request, caller } = run;
    const { namespace, roles, zone, domain } = caller;
    return {
      ...dispatchOf(attempt, randomId(), 1),
      requestId: request.requestId,
      namespace: attempt.instance.namespace,
      capability: attempt.capability.name,
      paramsHash: run.paramsHash,
      idempotent: attempt.capability.idempotent,
      caller: { caller: caller.caller, namespace, roles, zone, domain },
      request: { ...request, target: { ...run.target, namespace: run.namespace } },
      createdAt: this.deps.clock.wall(),
      deadlineAt: this.deps.clock.wall() + (request.taskTimeoutMs ?? TASK_TIMEOUT_MS),
      callback: request.callback,
    };
  }
}

const HELD: Held = { kind: 'HELD' };

function heldBy(answer: ClaimAnswer, run: CallRun): Held {
  if (answer.kind === 'CLAIMED') return HELD;
  return answer.kind === 'FENCED' ? answer : knownBy(answer.claim, run);
}

function knownBy(claim: KnownClaim, run: CallRun): Held {
  if (!asksTheSame(claim, run)) return { kind: 'CONFLICT' };
  return claim.outcome === undefined ? { kind: 'RECALL', claim } : { kind: 'KNOWN', claim, outcome: claim.outcome };
}

function asksTheSame(claim: KnownClaim, run: CallRun): boolean {
  const same = claim.paramsHash === run.paramsHash && claim.namespace === askedNamespace(run);
  return same && sameTarget(claim.target, run.request.target);
}

/** As the caller asked; a fallback may have led the call into another one. */
function askedNamespace({ request, caller }: CallRun): string {
  return request.target.namespace ?? caller.namespace ?? '';
}

function sameTarget(one: CallTarget, other: CallTarget): boolean {
  // Through JSON once, so that absent fields and undefined ones are the same.
  return canonicalJson(JSON.parse(JSON.stringify(other))) === canonicalJson(one);
}

function claimedAttempt({ instance, dispatchId }: Attempt): ClaimedAttempt {
  return { instance: instance.ref, incarnation: instance.record.incarnation, dispatchId };
}

function dispatchOf({ instance, dispatchId }: Attempt, taskId: string, epoch: number): TaskDispatch {
  const { ref, agent, record } = instance;
  return { taskId, epoch, instance: ref, agent, incarnation: record.incarnation, dispatchId };
}

function taskOf({ taskId, epoch }: TaskDispatch, timeoutMs: number) {
  return { taskId, epoch, timeoutMs: Math.max(0, timeoutMs) };
}

/** What a call ended with after its attempts, as a claim keeps it. */
export function claimedOutcome(
  run: CallRun,
  end: { readonly ok: true; readonly result: unknown } | { readonly ok: false; readonly error: WireError },
): ClaimedOutcome {
  const instance = run.attempts.at(-1)?.instance;
  const attempts = run.attempts.length;
  return end.ok
    ? { instance, attempts, ok: true, result: end.result }
    : { instance, attempts, ok: false, error: end.error };
}
