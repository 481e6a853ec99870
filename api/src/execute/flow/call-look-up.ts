import type { ErrorCode, WireError } from '@agent-reach/sdk/protocol';
import type { CallRun, CallState } from '../calls/call-run.js';
import { type Held, Holds } from '../idempotency/hold.js';
import { limitDeadline } from './call-sending.js';
import { arm, type CallFlowDeps, DECIDING, disarm, GRACE_MS } from './flow-deps.js';

/** Failures that say that nothing was executed. Of a repetition that may be untrue: only the database knows the first call. */
const NOTHING_EXECUTED: ReadonlySet<ErrorCode> = new Set([
  'RATE_LIMITED',
  'OVERLOADED',
  'CIRCUIT_OPEN',
  'NO_ROUTE',
  'DEADLINE_EXCEEDED',
] as const);
/** A database that is away must not keep for long what is refused anyway, ms. */
const LOOK_UP_MS = 1_000;

/** Where a call goes on that was looked up. */
export interface LookUpSteps {
  readonly giveUp: (run: CallRun, error: WireError) => void;
  readonly known: (run: CallRun, held: Exclude<Held, { kind: 'HELD' }>) => void;
}

/**
 * Calls that come to their claim find out from it whether they repeat an earlier one. Those that fail before that (nobody
 * has room, nobody is there, too many calls) are looked up here, before they are told so or a fallback answers them.
 */
export class CallLookUp {
  constructor(
    private readonly deps: CallFlowDeps,
    private readonly steps: LookUpSteps,
  ) {}

  needed(run: CallRun, error: WireError): boolean {
    if (run.lookedUp || run.hold !== undefined || run.executes !== 'FIRST') return false;
    return NOTHING_EXECUTED.has(error.code) && this.#mayBeClaimed(run);
  }

  /** Looks it up once; `giveUp` when nothing is known. */
  begin(run: CallRun, error: WireError): void {
    const now = this.deps.clock.monotonic();
    run.lookedUp = true;
    if (run.policy !== undefined) limitDeadline(run, run.policy.content, undefined);
    let leave = () => {};
    const state: CallState = { name: 'LOOKING_UP', error, leave: () => leave() };
    run.state = state;
    arm(this.deps, run, Math.min(now + LOOK_UP_MS, Math.max(run.deadlineAt, now + GRACE_MS)));
    leave = this.deps.holds.find(run, (held) => {
      if (run.state !== state) return;
      try {
        disarm(this.deps, run);
        run.state = DECIDING;
        if (held === undefined || held.kind === 'HELD') this.steps.giveUp(run, error);
        else this.steps.known(run, held);
      } catch (fault) {
        this.deps.onBroke(run, fault);
      }
    });
  }

  /** Also of a capability that nobody offers now, unless a remembered answer shows that it is idempotent. */
  #mayBeClaimed(run: CallRun): boolean {
    const { decision } = run;
    const candidate = decision?.outcome === 'OK' ? decision.choice : decision?.permitted;
    if (candidate !== undefined) return Holds.claims(candidate.capability);
    return this.deps.answers.stale(run, Number.POSITIVE_INFINITY) === undefined;
  }
}
