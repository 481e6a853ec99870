import type { AgentRef, InstanceRef, WireError } from '@agent-reach/sdk/protocol';
import type { CallOutcome } from '../ports.js';
import type { CallRun } from './call-run.js';
import { roundedMs } from './rounding.js';

/** Who gave an answer, where it was not the last attempt. All undefined: nobody, it is a fixed one. */
export interface AnswerSource {
  readonly instance: InstanceRef | undefined;
  readonly agent: AgentRef | undefined;
  readonly capability: string | undefined;
}

/** How a call ended. */
export type CallEnd =
  | {
      readonly ok: true;
      readonly result: unknown;
      /** Size of the result on the wire. */
      readonly bytes: number;
      readonly from?: AnswerSource;
      /** A task was accepted. */
      readonly taskId?: string | undefined;
    }
  | { readonly ok: false; readonly error: WireError };

/** What a call came to, for its caller and for audit. `replayOf`: the outcome of an earlier call that it is answered with. */
export function outcomeOf(run: CallRun, end: CallEnd, ms: number, replayOf: CallOutcome | undefined): CallOutcome {
  // A refused call was decided but never sent; it was for the agent that it would have gone to.
  const chosen = run.last ?? (run.decision?.outcome === 'OK' ? run.decision.choice : undefined);
  const from = replayOf ?? (end.ok ? end.from : undefined);
  // One literal for all ends: spreading the common part into each costs as much as all the rest of a call's end.
  return {
    requestId: run.request.requestId,
    attempts: run.attempts.length,
    instance: from === undefined ? run.attempts.at(-1)?.instance : from.instance,
    agent: from === undefined ? chosen?.instance.agent : from.agent,
    capability: from === undefined ? chosen?.capability.name : from.capability,
    replayed: replayOf !== undefined,
    cached: replayOf?.cached ?? run.cached,
    fallback: replayOf === undefined ? (end.ok ? run.fallback : undefined) : replayOf.fallback,
    taskId: replayOf === undefined ? (end.ok ? end.taskId : undefined) : replayOf.taskId,
    durationMs: roundedMs(ms),
    traceId: run.trace.traceId,
    ok: end.ok,
    result: end.ok ? end.result : undefined,
    error: end.ok ? undefined : end.error,
  } as CallOutcome;
}
