import { DEFAULT_POLICY_CONTENT } from '@agent-reach/sdk/decide';
import { type ErrorCode, ReachError, type WireError } from '@agent-reach/sdk/protocol';
import type { Clock } from '../../perceive/clock.js';
import type { Registry } from '../../perceive/registry.js';
import { attemptTimeout, defaultCallTimeout } from '../attempts/timeouts.js';
import { concernsAll, type EqualCall } from '../cache/equal-calls.js';
import type { CallEnd } from '../calls/call-outcome.js';
import type { CallRun, CallState } from '../calls/call-run.js';
import { Waiters } from '../calls/waiters.js';
import type { RateLimiter } from '../capacity/rate-limiter.js';
import type { CallOutcome } from '../ports.js';
import type { Held } from './hold.js';
import type { ClaimRecovery } from './recovery.js';

export interface RepetitionsDeps {
  readonly clock: Pick<Clock, 'monotonic' | 'wall'>;
  readonly registry: Pick<Registry, 'table'>;
  readonly recovery: Pick<ClaimRecovery, 'wait'>;
  readonly limiter: Pick<RateLimiter, 'replay'>;
  /** Runs a step of a call; what it throws ends that call and nothing else. */
  readonly guarded: (run: CallRun, step: () => void) => void;
  /** Has the call's timer fire then. */
  readonly arm: (run: CallRun, dueAt: number) => void;
  readonly disarm: (run: CallRun) => void;
  /** The call begins as if it had come now. */
  readonly begin: (run: CallRun) => void;
  /** The call goes its own way. `queueMs`: how long it waited for that. */
  readonly next: (run: CallRun, queueMs: number) => void;
  readonly finish: (run: CallRun, end: CallEnd, replayOf?: CallOutcome) => void;
  /** Whoever waited for this call has left; it goes on if somebody else still does. */
  readonly left: (first: CallRun) => void;
}

/** Ends of a call that say nothing to a repetition of it, which has a time and a will of its own. */
const OWN_ENDS: ReadonlySet<ErrorCode> = new Set(['DEADLINE_EXCEEDED', 'CANCELLED'] as const);

/**
 * Calls that don't execute because another one does, or did: repetitions of the same requestId, and equal calls. They
 * wait for that one's outcome, or are answered with what is known of it.
 */
export class Repetitions {
  constructor(private readonly deps: RepetitionsDeps) {}

  /** Waits for a call of the same requestId. */
  joinSame(run: CallRun, first: CallRun): void {
    first.waiters ??= new Waiters();
    const { waiters } = first;
    this.#join(run, first, (waiter, until) => waiters.join(waiter, until), true);
  }

  /** Waits for a call that asks for the same under another requestId. */
  joinEqual(run: CallRun, { first, join }: EqualCall<CallRun, CallOutcome>): void {
    this.#join(run, first, join, false);
  }

  #join(run: CallRun, first: CallRun, join: EqualCall<CallRun, CallOutcome>['join'], same: boolean): void {
    const told = (outcome: CallOutcome) => this.deps.guarded(run, () => this.#firstEnded(run, outcome));
    const leave = join(told, waitsUntil(run, first));
    run.state = { name: 'JOINED', first, leave, same };
    if (run.deadlineByCaller) this.deps.arm(run, run.deadlineAt);
  }

  /** Stops waiting for the other, which goes on unless nobody is left who wants it. */
  leave(run: CallRun, { first, leave }: Extract<CallState, { name: 'JOINED' }>, error: WireError): void {
    leave();
    this.deps.finish(run, { ok: false, error });
    this.deps.left(first);
  }

  /** The call that this one waited for came to an end. */
  #firstEnded(run: CallRun, outcome: CallOutcome): void {
    const { state } = run;
    const { disarm, begin } = this.deps;
    if (state.name !== 'JOINED') return;
    disarm(run);
    run.state = { name: 'DECIDING' };
    const concerns = outcome.ok || (state.same ? !OWN_ENDS.has(outcome.error.code) : concernsAll(outcome.error.code));
    if (concerns) return state.same ? this.answer(run, outcome) : this.#answerEqual(run, outcome, state.first);
    // The other ran out of its own time or was given up: that is not this one's end, so it runs itself.
    if (state.same) begin(run);
    else this.#runItself(run);
  }

  /** Those who waited for an equal call in vain begin anew, and the others join the first of them. */
  #runItself(run: CallRun): void {
    const { next, clock } = this.deps;
    run.cacheKey = undefined;
    next(run, clock.monotonic() - run.startedAt);
  }

  /** An equal call's answer is this one's too. It needs permission for the agent that gave it: another one may serve it. */
  #answerEqual(run: CallRun, outcome: CallOutcome, first: CallRun): void {
    if (this.#deniedBy(run, outcome) !== undefined) return this.#runItself(run);
    run.forgotten = first.forgotten;
    if (!outcome.ok) return this.deps.finish(run, outcome);
    run.cached = true;
    run.fallback = outcome.fallback;
    const { instance, agent, capability, result } = outcome;
    // Its bytes are counted for the other one, which is remembered for longer.
    this.deps.finish(run, { ok: true, result, bytes: 0, from: { instance, agent, capability } });
  }

  /** An earlier server began it: finds out how it ended, and runs it when it was never seen. */
  recall(run: CallRun, { claim }: Extract<Held, { kind: 'RECALL' }>): void {
    const { recovery, guarded, disarm, next } = this.deps;
    let left = false;
    let leave: (() => void) | undefined;
    run.state = {
      name: 'RECALLING',
      leave: () => {
        left = true;
        leave?.();
      },
    };
    leave = recovery.wait(claim, (resolution) => {
      if (left || run.state.name !== 'RECALLING') return;
      guarded(run, () => {
        disarm(run);
        run.state = { name: 'DECIDING' };
        if (resolution.kind === 'FREE') next(run, 0);
        else this.answerHeld(run, { kind: 'KNOWN', claim, outcome: resolution.outcome });
      });
    });
  }

  /** Answers with what the database knows of an earlier call of this requestId. */
  answerHeld(run: CallRun, held: Extract<Held, { kind: 'KNOWN' | 'ACCEPTED' }>): void {
    const common = {
      requestId: run.request.requestId,
      replayed: true,
      cached: false,
      fallback: undefined,
      durationMs: 0,
      traceId: run.trace.traceId,
    };
    if (held.kind === 'ACCEPTED') {
      const unknown = { attempts: 0, instance: undefined, agent: undefined, capability: undefined };
      return this.answer(run, { ...common, ...unknown, taskId: held.taskId, ok: true, result: undefined });
    }
    const { claim, outcome } = held;
    const { instance, attempts, ...end } = outcome;
    const { agent, capability } = claim;
    run.forgotten = !end.ok && end.error.code === 'OUTCOME_UNKNOWN';
    const bytes = JSON.stringify(end).length;
    this.answer(run, { ...common, attempts, instance, agent, capability, taskId: undefined, ...end }, bytes);
  }

  /**
   * Answers a repetition with the first outcome; it needs permission for the agent that gave it. `bytes`: about how much
   * that takes, where it is not in memory yet.
   */
  answer(run: CallRun, outcome: CallOutcome, bytes = 0): void {
    const error = this.deps.limiter.replay(run) ?? this.#deniedBy(run, outcome);
    if (error !== undefined) return this.deps.finish(run, { ok: false, error });
    this.deps.finish(run, outcome.ok ? { ok: true, result: outcome.result, bytes } : outcome, outcome);
  }

  #deniedBy(run: CallRun, { agent, capability }: CallOutcome): WireError | undefined {
    if (agent === undefined || capability === undefined) return undefined;
    const { caller, roles } = run.caller;
    const { registry, clock } = this.deps;
    if (registry.table.permissions.check(caller, roles, agent, capability, clock.wall()).allowed) return undefined;
    return new ReachError('DENIED', `${caller} may not call ${agent}:${capability} any more.`).toWire();
  }
}

/** Monotonic ms: its own deadline, or what the policy of the other gives to calls that name none. */
function waitsUntil({ deadlineAt, deadlineByCaller, startedAt }: CallRun, { policy }: CallRun): number {
  const content = policy?.content ?? DEFAULT_POLICY_CONTENT;
  return deadlineByCaller ? deadlineAt : startedAt + defaultCallTimeout(content, attemptTimeout(content, undefined));
}
