import type { WireError } from '@agent-reach/sdk/protocol';
import type { CallOutcome } from '../ports.js';
import type { CallRun } from './call-run.js';
import { roundedMs } from './rounding.js';

/** How a call ended. `bytes`: size of the result on the wire. */
export type CallEnd =
  | { readonly ok: true; readonly result: unknown; readonly bytes: number }
  | { readonly ok: false; readonly error: WireError };

/** What a call came to, for its caller and for audit. `replayOf`: the outcome of an earlier call that it is answered with. */
export function outcomeOf(run: CallRun, end: CallEnd, ms: number, replayOf: CallOutcome | undefined): CallOutcome {
  // A refused call was decided but never sent; it was for the agent that it would have gone to.
  const chosen = run.last ?? (run.decision?.outcome === 'OK' ? run.decision.choice : undefined);
  // One literal for both ends: spreading the common part into either costs as much as all the rest of a call's end.
  return {
    requestId: run.request.requestId,
    attempts: run.attempts.length,
    instance: replayOf?.instance ?? run.attempts.at(-1)?.instance,
    agent: replayOf?.agent ?? chosen?.instance.agent,
    capability: replayOf?.capability ?? chosen?.capability.name,
    replayed: replayOf !== undefined,
    cached: false,
    fallback: undefined,
    taskId: undefined,
    durationMs: roundedMs(ms),
    traceId: run.trace.traceId,
    ok: end.ok,
    result: end.ok ? end.result : undefined,
    error: end.ok ? undefined : end.error,
  } as CallOutcome;
}
