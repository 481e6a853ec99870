import type { FallbackStep } from '@agent-reach/sdk/decide';
import type { AgentRef, ErrorCode, WireError } from '@agent-reach/sdk/protocol';

/**
 * When a failure lets the policy's fallback answer instead:
 * `AT_ONCE`: nothing was executed, and nobody there can;
 * `IF_IDEMPOTENT`: something may have been executed, so only where executing it elsewhere too does no harm;
 * `OF_BACKUP`: the call itself is at fault and nobody else may answer it; only where a backup agent refused it so, which
 * the caller never asked for, the next step is tried;
 * `NEVER`: it is the answer, or it is not about the agents at all.
 */
type FallsBack = 'AT_ONCE' | 'IF_IDEMPOTENT' | 'OF_BACKUP' | 'NEVER';

const FALLS_BACK: Readonly<Record<ErrorCode, FallsBack>> = {
  CONNECT_FAILED: 'AT_ONCE',
  REFUSED: 'AT_ONCE',
  NO_ROUTE: 'AT_ONCE',
  OVERLOADED: 'AT_ONCE',
  CIRCUIT_OPEN: 'AT_ONCE',
  // No time is left for another agent then, and nextStep passes over it.
  DEADLINE_EXCEEDED: 'AT_ONCE',
  ACK_TIMEOUT: 'IF_IDEMPOTENT',
  RESPONSE_TIMEOUT: 'IF_IDEMPOTENT',
  CONNECTION_LOST: 'IF_IDEMPOTENT',
  AGENT_ERROR: 'IF_IDEMPOTENT',
  INVALID_RESULT: 'IF_IDEMPOTENT',
  INVALID_PARAMS: 'OF_BACKUP',
  DENIED: 'OF_BACKUP',
  SENSITIVE_PARAM: 'OF_BACKUP',
  LOOP_DETECTED: 'OF_BACKUP',
  // An earlier call of the same requestId may have been executed; only the database knows.
  STORAGE_UNAVAILABLE: 'NEVER',
  BUSINESS_ERROR: 'NEVER',
  NEED_UNCLEAR: 'NEVER',
  RATE_LIMITED: 'NEVER',
  CONFLICT: 'NEVER',
  CANCELLED: 'NEVER',
  OUTCOME_UNKNOWN: 'NEVER',
  RESULT_NOT_KEPT: 'NEVER',
  UNAUTHENTICATED: 'NEVER',
  NOT_FOUND: 'NEVER',
  INVALID_INPUT: 'NEVER',
  INVALID_FRAME: 'NEVER',
  INVALID_REGISTRATION: 'NEVER',
  NOT_REGISTERED: 'NEVER',
  PAYLOAD_TOO_LARGE: 'NEVER',
  SHUTTING_DOWN: 'NEVER',
  INTERNAL: 'NEVER',
};

/** A call, or its try with a backup agent, as it failed. */
export interface FailedCall {
  readonly error: WireError;
  readonly idempotent: boolean;
  /** Something was handed over and never answered, in whichever of its attempts. */
  readonly sentUnanswered: boolean;
  /** The failure is that of a backup agent. */
  readonly byBackup: boolean;
}

/** Whether the fallback of the policy may answer a call that failed, or the rest of it after a backup agent failed. */
export function mayFallBack({ error, idempotent, sentUnanswered, byBackup }: FailedCall): boolean {
  // It may have been executed: an answer that says otherwise, or a second execution, would be a lie to the caller.
  if (sentUnanswered && !idempotent) return false;
  const fallsBack = FALLS_BACK[error.code];
  switch (fallsBack) {
    case 'AT_ONCE':
      return true;
    case 'IF_IDEMPOTENT':
      return idempotent;
    case 'OF_BACKUP':
      return byBackup;
    case 'NEVER':
      return false;
    default:
      return fallsBack satisfies never;
  }
}

/** What a step of a fallback needs to be tried. */
export interface FallbackContext {
  /** Until the call's deadline. */
  readonly leftMs: number;
  /** Whether another agent may be tried: not the one that has just failed, for instance. */
  readonly mayTry: (agent: AgentRef) => boolean;
  /** Whether an answer no older than this is remembered, and the caller may have it. */
  readonly hasAnswer: (maxAgeMs: number) => boolean;
}

/** Index of the first step from `from` on that can be tried now; undefined when there is none. */
export function nextStep(steps: readonly FallbackStep[], from: number, context: FallbackContext): number | undefined {
  const index = steps.findIndex((step, at) => at >= from && canBeTried(step, context));
  return index === -1 ? undefined : index;
}

function canBeTried(step: FallbackStep, { leftMs, mayTry, hasAnswer }: FallbackContext): boolean {
  switch (step.kind) {
    case 'AGENT':
      return leftMs > 0 && mayTry(step.agent);
    case 'STALE':
      return hasAnswer(step.maxAgeMs);
    case 'ANSWER':
      return true;
    default:
      return step satisfies never;
  }
}
