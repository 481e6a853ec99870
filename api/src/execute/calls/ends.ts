import { ReachError, type WireError } from '@agent-reach/sdk/protocol';
import type { CallRun } from './call-run.js';
import { attemptFailure, outcomeUnknown } from './failures.js';

/** The attempt was handed over and nothing came back. */
export function isUnanswered(error: WireError): boolean {
  return error.code === 'CONNECTION_LOST' || error.code === 'RESPONSE_TIMEOUT' || error.code === 'ACK_TIMEOUT';
}

/** The agent answered, or it can't be known what it did: what may not be executed twice must not be sent again. */
export function isResolved(error: WireError): boolean {
  const { code } = error;
  return code === 'OUTCOME_UNKNOWN' || code === 'BUSINESS_ERROR' || code === 'AGENT_ERROR' || code === 'INVALID_RESULT';
}

/** After a hand-over without an answer, nobody can know whether a non-idempotent capability was executed. */
export function unresolved(error: WireError, requestId: string): WireError {
  return isUnanswered(error) ? outcomeUnknown(error, requestId) : error;
}

/** The caller's time is over: an answer of the agent still counts, silence is named by its cause. */
export function atDeadline(run: CallRun, error: WireError): WireError {
  return isUnanswered(error) && run.deadlineByCaller ? deadlineExceeded(run) : error;
}

/** Its caller cancelled it, or went away. */
export function cancelled({ request }: CallRun): WireError {
  return attemptFailure('CANCELLED', request.requestId);
}

/** The caller's deadline has passed. */
export function deadlineExceeded(run: CallRun): WireError {
  const allowed = run.request.timeoutMs;
  return new ReachError('DEADLINE_EXCEEDED', `The call was not answered within ${allowed ?? 'its'} ms.`).toWire();
}
