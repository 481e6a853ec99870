/** How a failure is treated: by the router (retry), by the breaker, and by an HTTP caller. */
export interface ErrorDefinition {
  /** The HTTP status that `/v1/call` answers with. */
  readonly status: number;
  /** Whether repeating the same request later can succeed. What the router itself repeats is narrower: see `retry`. */
  readonly retryable: boolean;
  /**
   * What the router does by itself:
   * `ANOTHER`: try another instance (nothing was executed);
   * `IF_IDEMPOTENT`: once, and only for an idempotent capability;
   * `IF_MARKED`: only for an idempotent capability whose agent marked the failure retryable;
   * `NEVER`.
   */
  readonly retry: 'ANOTHER' | 'IF_IDEMPOTENT' | 'IF_MARKED' | 'NEVER';
  /** What the end of an attempt with this code means to the instance's breaker. */
  readonly breaker: 'FAILURE' | 'SUCCESS' | 'NEITHER';
  /** One sentence that says what to do. */
  readonly advice: string;
}

/** Every error code that crosses a border of Agent-Reach. Docs and GraphQL are compared with this table by tests. */
export const ERRORS = {
  CONNECT_FAILED: {
    status: 502,
    retryable: true,
    retry: 'ANOTHER',
    breaker: 'FAILURE',
    advice: 'The instance could not be reached, so nothing was executed; repeat the call.',
  },
  REFUSED: {
    status: 503,
    retryable: true,
    retry: 'ANOTHER',
    breaker: 'NEITHER',
    advice: 'Every instance tried was busy, draining or reloading; repeat after retryAfterMs.',
  },
  ACK_TIMEOUT: {
    status: 504,
    retryable: true,
    retry: 'IF_IDEMPOTENT',
    breaker: 'FAILURE',
    advice: 'The instance did not confirm the dispatch in time; repeat with the same requestId.',
  },
  RESPONSE_TIMEOUT: {
    status: 504,
    retryable: true,
    retry: 'IF_IDEMPOTENT',
    breaker: 'FAILURE',
    advice: 'The instance did not answer in time and may still be working; repeat with the same requestId.',
  },
  CONNECTION_LOST: {
    status: 502,
    retryable: true,
    retry: 'IF_IDEMPOTENT',
    breaker: 'FAILURE',
    advice: 'The connection broke before the answer came; repeat with the same requestId.',
  },
  AGENT_ERROR: {
    status: 502,
    retryable: false,
    retry: 'IF_MARKED',
    breaker: 'FAILURE',
    advice: "The agent's handler failed; look at its message and at the agent's own log.",
  },
  INVALID_RESULT: {
    status: 502,
    retryable: false,
    retry: 'IF_MARKED',
    breaker: 'FAILURE',
    advice: "The result does not match the capability's outputSchema; the agent's author has to correct one of them.",
  },
  BUSINESS_ERROR: {
    status: 422,
    retryable: false,
    retry: 'NEVER',
    breaker: 'SUCCESS',
    advice: 'The agent answered that the request cannot be fulfilled; read its message.',
  },
  INVALID_PARAMS: {
    status: 400,
    retryable: false,
    retry: 'NEVER',
    breaker: 'NEITHER',
    advice: 'Correct the fields that the error lists.',
  },
  NEED_UNCLEAR: {
    status: 422,
    retryable: false,
    retry: 'NEVER',
    breaker: 'NEITHER',
    advice: 'No capability clearly fits the need; call one of the candidates in the details by its name, or say more.',
  },
  DENIED: {
    status: 403,
    retryable: false,
    retry: 'NEVER',
    breaker: 'NEITHER',
    advice: 'Ask for the permission rule that the error names.',
  },
  SENSITIVE_PARAM: {
    status: 400,
    retryable: false,
    retry: 'NEVER',
    breaker: 'NEITHER',
    advice: 'Leave out the sensitive parameters that the error lists; the capability does not ask for them.',
  },
  RATE_LIMITED: {
    status: 429,
    retryable: true,
    retry: 'NEVER',
    breaker: 'NEITHER',
    advice: 'Wait for retryAfterMs before the next call.',
  },
  CONFLICT: {
    status: 409,
    retryable: false,
    retry: 'NEVER',
    breaker: 'NEITHER',
    advice: 'The state or request that this refers to is another one by now; read it again and decide anew.',
  },
  LOOP_DETECTED: {
    status: 508,
    retryable: false,
    retry: 'NEVER',
    breaker: 'NEITHER',
    advice: 'The call would re-enter an agent of its own chain or is nested too deeply; the chain is in the details.',
  },
  CANCELLED: {
    status: 499,
    retryable: false,
    retry: 'NEVER',
    breaker: 'NEITHER',
    advice: 'The caller cancelled it or went away, or an operator cancelled the task; the message of a task says who.',
  },
  DEADLINE_EXCEEDED: {
    status: 504,
    retryable: true,
    retry: 'NEVER',
    breaker: 'NEITHER',
    advice: "The caller's timeoutMs was over before an answer came; allow more time.",
  },
  NO_ROUTE: {
    status: 404,
    retryable: true,
    retry: 'NEVER',
    breaker: 'NEITHER',
    advice: 'Nobody who can be reached offers this now; the counts say at which stage candidates fell.',
  },
  OVERLOADED: {
    status: 503,
    retryable: true,
    retry: 'NEVER',
    breaker: 'NEITHER',
    advice: 'Every instance is at its limit; repeat after retryAfterMs.',
  },
  CIRCUIT_OPEN: {
    status: 503,
    retryable: true,
    retry: 'NEVER',
    breaker: 'NEITHER',
    advice: 'Every instance failed too often lately and rests; repeat after retryAfterMs.',
  },
  STORAGE_UNAVAILABLE: {
    status: 503,
    retryable: true,
    retry: 'NEVER',
    breaker: 'NEITHER',
    advice: 'The database is away and this request needs it; nothing was done, repeat later.',
  },
  OUTCOME_UNKNOWN: {
    status: 504,
    retryable: false,
    retry: 'NEVER',
    breaker: 'FAILURE',
    advice:
      'It cannot be known whether the agent executed this; check with the agent before repeating under a new requestId.',
  },
  RESULT_NOT_KEPT: {
    status: 410,
    retryable: false,
    retry: 'NEVER',
    breaker: 'NEITHER',
    advice: 'The request was executed and answered once; its result was larger than what is kept for repetitions.',
  },
  UNAUTHENTICATED: {
    status: 401,
    retryable: false,
    retry: 'NEVER',
    breaker: 'NEITHER',
    advice: 'Send a valid token, or sign in.',
  },
  NOT_FOUND: {
    status: 404,
    retryable: false,
    retry: 'NEVER',
    breaker: 'NEITHER',
    advice: 'There is no such thing, or this credential may not see it.',
  },
  INVALID_INPUT: {
    status: 400,
    retryable: false,
    retry: 'NEVER',
    breaker: 'NEITHER',
    advice: 'Correct the fields that the error lists.',
  },
  INVALID_FRAME: {
    status: 400,
    retryable: false,
    retry: 'NEVER',
    breaker: 'NEITHER',
    advice: 'Send one JSON object per message, as docs/PROTOCOL.md describes it.',
  },
  INVALID_REGISTRATION: {
    status: 400,
    retryable: false,
    retry: 'NEVER',
    breaker: 'NEITHER',
    advice: 'Correct the fields that the error lists and register again.',
  },
  NOT_REGISTERED: {
    status: 409,
    retryable: true,
    retry: 'NEVER',
    breaker: 'NEITHER',
    advice: 'The server holds no live lease for this instance; register again.',
  },
  PAYLOAD_TOO_LARGE: {
    status: 413,
    retryable: false,
    retry: 'NEVER',
    breaker: 'NEITHER',
    advice: 'Keep a message within the limit that the error names; pass references instead of contents.',
  },
  SHUTTING_DOWN: {
    status: 503,
    retryable: true,
    retry: 'NEVER',
    breaker: 'NEITHER',
    advice: 'The server is stopping; connect again in a moment.',
  },
  INTERNAL: {
    status: 500,
    retryable: false,
    retry: 'NEVER',
    breaker: 'NEITHER',
    advice: 'A fault of the server; its log has the details under the requestId.',
  },
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof ERRORS;

/** One fault of an input: where, what was got, what is allowed. */
export interface FieldFault {
  /** Dotted path from the root of the input, such as `capabilities.0.description`. */
  readonly path: string;
  /** The faulty value, shortened, or what is missing. Never a sensitive value. */
  readonly got: string;
  /** The allowed range or form. */
  readonly allowed: string;
}

/** A failure as it crosses the wire. */
export interface WireError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  /** Milliseconds after which repeating makes sense. */
  readonly retryAfterMs?: number;
  readonly fields?: readonly FieldFault[];
  /**
   * Data by code; for NO_ROUTE, OVERLOADED and CIRCUIT_OPEN `stages` holds the counts, for DENIED `rule` and `link`, for
   * NEED_UNCLEAR `candidates`.
   */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** The one base of every failure that Agent-Reach raises on purpose. Its message is safe to show to the caller. */
export class ReachError extends Error {
  override readonly name = 'ReachError';
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly retryAfterMs: number | undefined;
  readonly fields: readonly FieldFault[] | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      retryable?: boolean;
      retryAfterMs?: number;
      fields?: readonly FieldFault[];
      details?: Readonly<Record<string, unknown>>;
      cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable ?? ERRORS[code].retryable;
    this.retryAfterMs = options.retryAfterMs;
    this.fields = options.fields;
    this.details = options.details;
  }

  toWire(): WireError {
    return {
      code: this.code,
      message: this.message,
      retryable: this.retryable,
      ...(this.retryAfterMs === undefined ? {} : { retryAfterMs: this.retryAfterMs }),
      ...(this.fields === undefined ? {} : { fields: this.fields }),
      ...(this.details === undefined ? {} : { details: this.details }),
    };
  }

  static fromWire(error: WireError): ReachError {
    return new ReachError(error.code, error.message, error);
  }
}
