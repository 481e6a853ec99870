import { ReachError, type ResultFrame, type WireError } from '@agent-reach/sdk/protocol';
import type { Instance } from '../../perceive/instance.js';
import { agentFailure, invalidResult } from '../calls/failures.js';
import type { TaskEnd } from './tasks.port.js';

/** What an agent may say of the end of a dispatch, by `result` or by `recalled`. */
export type AgentAnswer =
  | Pick<Extract<ResultFrame, { ok: true }>, 'ok' | 'result'>
  | Pick<Extract<ResultFrame, { ok: false }>, 'ok' | 'error'>;

/**
 * The end that an agent's answer means. A result that doesn't match its outputSchema is a failure, but never lost.
 *
 * @param speaker the instance whose schema counts; undefined when it is gone, and nothing can be checked
 */
export function endOf(answer: AgentAnswer, capability: string, speaker: Instance | undefined): TaskEnd {
  if (!answer.ok) {
    const error = agentFailure(answer.error);
    return { state: error.code === 'OUTCOME_UNKNOWN' ? 'UNKNOWN' : 'FAILED', error };
  }
  const declared = speaker?.capabilities.find(({ name }) => name === capability);
  const faults = declared?.outputFaults(answer.result);
  if (faults === undefined) return { state: 'COMPLETED', result: answer.result };
  return { state: 'FAILED', error: invalidResult(capability, faults) };
}

/** @param by who cancelled it */
export function cancelled(by: string): TaskEnd {
  return { state: 'CANCELLED', error: new ReachError('CANCELLED', `The task was cancelled by ${by}.`).toWire() };
}

export function overdue(ms: number): TaskEnd {
  const error = new ReachError('DEADLINE_EXCEEDED', `The task did not end within its ${Math.round(ms / 1000)} s.`, {
    // The task had all the time that it was given; a new one may need more.
    retryable: false,
  });
  return { state: 'FAILED', error: error.toWire() };
}

/** Its incarnation is gone, the capability is not idempotent, and nobody can say what was executed. */
export function unknowable(instance: string, requestId: string): TaskEnd {
  const error = new ReachError(
    'OUTCOME_UNKNOWN',
    `${instance} was lost while it had the task. The capability is not idempotent, so the task was not given to another, and it cannot be known whether it was executed (requestId ${requestId}).`,
  );
  return { state: 'UNKNOWN', error: error.toWire() };
}

/** Nobody can be asked to execute it again. */
export function failed(error: WireError): TaskEnd {
  return { state: error.code === 'OUTCOME_UNKNOWN' ? 'UNKNOWN' : 'FAILED', error };
}
