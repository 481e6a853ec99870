import {
  type AgentFailure,
  type CallOutcomeInfo,
  type JsonObject,
  ReachError,
  type WireError,
} from '../protocol/index.js';

const MAX_MESSAGE = 1000;

/** Thrown by a handler: the request was understood and cannot be fulfilled. The caller gets BUSINESS_ERROR. */
export class BusinessError extends Error {
  override readonly name = 'BusinessError';

  constructor(
    message: string,
    readonly details?: JsonObject,
  ) {
    super(message);
  }
}

/**
 * Thrown by a handler: the agent failed. `retryable: true` lets the server try another instance, if the capability is
 * idempotent. Any other error that a handler throws counts as an AgentError that is not retryable.
 */
export class AgentError extends Error {
  override readonly name = 'AgentError';
  readonly retryable: boolean;
  readonly details: JsonObject | undefined;

  constructor(message: string, options: { retryable?: boolean; details?: JsonObject; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.retryable = options.retryable ?? false;
    this.details = options.details;
  }
}

/** How `call` fails: a ReachError that also knows which call it was and how far it got. */
export class CallError extends ReachError {
  readonly requestId: string;
  /** Tries on instances; 0 when no instance was asked. */
  readonly attempts: number;
  readonly instance: string | undefined;
  readonly traceId: string | undefined;

  constructor(error: WireError, info: CallOutcomeInfo) {
    super(error.code, error.message, error);
    this.requestId = info.requestId;
    this.attempts = info.attempts;
    this.instance = info.instance;
    this.traceId = info.traceId;
  }
}

/**
 * What a thrown value becomes on the wire: message only, never a stack. A business answer or an unknown outcome of a
 * nested call stays what it is; any other failed nested call makes this agent fail, and is not marked retryable: the
 * inner call has used up its retries.
 */
export function failureOf(thrown: unknown): AgentFailure {
  if (thrown instanceof BusinessError)
    return { code: 'BUSINESS_ERROR', message: short(thrown.message), ...present(thrown.details) };
  if (thrown instanceof AgentError)
    return {
      code: 'AGENT_ERROR',
      message: short(thrown.message),
      retryable: thrown.retryable,
      ...present(thrown.details),
    };
  if (thrown instanceof ReachError) {
    const code = thrown.code === 'BUSINESS_ERROR' || thrown.code === 'OUTCOME_UNKNOWN' ? thrown.code : 'AGENT_ERROR';
    return { code, message: short(thrown.message), details: { ...thrown.details, cause: thrown.code } };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: 'AGENT_ERROR', message: short(message === '' ? 'the handler failed without a message' : message) };
}

const present = (details: JsonObject | undefined) => (details === undefined ? {} : { details });

const short = (message: string) => (message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE - 1)}…` : message);
