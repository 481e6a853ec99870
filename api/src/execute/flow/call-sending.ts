import type { Choice, Instant, PolicyContent } from '@agent-reach/sdk/decide';
import type { WireError } from '@agent-reach/sdk/protocol';
import type { Instance } from '../../perceive/instance.js';
import type { Attempt } from '../attempts/attempt.js';
import { attemptTimeout, defaultCallTimeout } from '../attempts/timeouts.js';
import type { CallEnd } from '../calls/call-outcome.js';
import type { CallRun } from '../calls/call-run.js';
import { cancelled, deadlineExceeded } from '../calls/ends.js';
import { noLongerATask, requestIdTaken, storageUnavailable } from '../calls/failures.js';
import { type Held, Holds } from '../idempotency/hold.js';
import { arm, type CallFlowDeps, DECIDING, disarm, failed, isResumedTask } from './flow-deps.js';

/** Where a call goes on when it was not sent. */
export interface SendingSteps {
  readonly next: (run: CallRun, queueMs: number) => void;
  readonly giveUp: (run: CallRun, error: WireError) => void;
  readonly end: (run: CallRun, end: CallEnd) => void;
  readonly roomAt: (instance: Instance) => void;
}

/** From a decision to an attempt under way: reserve a place, make durable what must be, hand over. */
export class CallSending {
  constructor(
    private readonly deps: CallFlowDeps,
    private readonly steps: SendingSteps,
  ) {}

  reserve(run: CallRun, decision: Choice<Instance>, now: Instant, queueMs: number): void {
    const { attempts, router, clock, holds, onBroke } = this.deps;
    const { choice, policy } = decision;
    if (isResumedTask(run) && choice.capability.mode !== 'TASK') return this.steps.giveUp(run, noLongerATask(choice));
    limitDeadline(run, policy.content, choice.capability.latency.value);
    // A default time counts from its receipt, and may have passed before anybody knew which it is.
    if (now.monotonic >= run.deadlineAt) return this.steps.giveUp(run, deadlineExceeded(run));
    router.taken(decision);
    run.last = choice;
    const attempt = attempts.reserve(run, decision, clock.monotonic() - now.monotonic, queueMs);
    if (!Holds.needed(attempt) && run.hold === undefined) return this.#send(run, attempt);
    run.state = { name: 'HOLDING', attempt };
    arm(this.deps, run, run.deadlineAt);
    holds.hold(run, attempt, (held) => {
      try {
        this.#held(run, attempt, held);
      } catch (error) {
        onBroke(run, error);
      }
    });
  }

  #held(run: CallRun, attempt: Attempt, held: Held): void {
    if (run.state.name !== 'HOLDING' || run.state.attempt !== attempt) return;
    disarm(this.deps, run);
    if (held.kind === 'HELD') {
      const late = this.deps.clock.monotonic() >= run.deadlineAt;
      // Chosen but not sent: where things changed meanwhile it goes elsewhere, at no cost.
      if (!late && stillGood(attempt)) return this.#send(run, attempt);
      this.deps.attempts.release(attempt);
      return late ? this.steps.giveUp(run, deadlineExceeded(run)) : this.steps.next(run, 0);
    }
    this.deps.attempts.release(attempt);
    run.state = DECIDING;
    this.notHeld(run, held);
    this.steps.roomAt(attempt.instance);
  }

  /** It was known already, or may not be sent. */
  notHeld(run: CallRun, held: Exclude<Held, { kind: 'HELD' }>): void {
    switch (held.kind) {
      case 'KNOWN':
      case 'ACCEPTED':
        return this.deps.replay(run, held);
      case 'RECALL':
        arm(this.deps, run, run.deadlineAt);
        return this.deps.recall(run, held);
      case 'CONFLICT':
        return this.steps.end(run, failed(requestIdTaken(run)));
      case 'OVER':
        return this.steps.end(run, failed(cancelled(run)));
      case 'FENCED':
        return this.steps.end(run, failed(storageUnavailable()));
      default:
        held satisfies never;
    }
  }

  #send(run: CallRun, attempt: Attempt): void {
    run.state = { name: 'RUNNING', attempt };
    if (run.attempts.length === 0) this.deps.budget.first(budgetKey(attempt));
    // What may not be executed twice is answered by the one that was sent, and by no attempt before it.
    if (run.hold !== undefined) this.deps.attempts.forget(run);
    this.deps.attempts.send(attempt);
  }
}

/** The time for a call whose caller names none depends on its policy. `mean`: of the capability's recent calls, ms. */
export function limitDeadline(run: CallRun, content: PolicyContent, mean: number | undefined): void {
  if (run.deadlineAt !== Number.POSITIVE_INFINITY) return;
  run.deadlineAt = run.startedAt + defaultCallTimeout(content, attemptTimeout(content, mean));
}

/** Retries are counted by capability, within its namespace. */
export function budgetKey({ instance, capability }: Attempt): string {
  return `${instance.namespace} ${capability.name}`;
}

/** Whether an attempt whose place was reserved a moment ago may still be sent. */
function stillGood({ ended, probe, instance }: Attempt): boolean {
  const { live, link, weight } = instance;
  return (
    !ended &&
    live.lifecycle === 'READY' &&
    live.health !== 'OFFLINE' &&
    weight > 0 &&
    link?.isOpen === true &&
    (probe || live.breaker.state === 'CLOSED')
  );
}
