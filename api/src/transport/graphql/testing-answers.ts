import { ReachError } from '@agent-reach/sdk/protocol';
import type { BroadcastOutcome, CallOutcome, CallRequest } from '../../execute/ports.js';

/** An answer of `/graphql`. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly data: Record<string, unknown> | null | undefined;
  readonly errors: readonly AnswerError[];
}

export interface AnswerError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions: {
    readonly code: string;
    readonly retryable: boolean;
    readonly requestId: string;
    readonly fields?: readonly { readonly path: string; readonly got: string; readonly allowed: string }[];
    readonly current?: Record<string, unknown>;
  };
}

/** The outcome of a call that was denied. */
export function denied(request: CallRequest): CallOutcome {
  const error = new ReachError('DENIED', 'No rule allows it.', { details: { rule: 'none' } }).toWire();
  return {
    requestId: request.requestId,
    attempts: 0,
    instance: undefined,
    agent: undefined,
    capability: undefined,
    replayed: false,
    cached: false,
    fallback: undefined,
    taskId: undefined,
    durationMs: 1,
    traceId: '0af7651916cd43dd8448eb211c80319c',
    ok: false,
    error,
  };
}

/** The outcome of a call that came to its result. */
export function completed(request: CallRequest): CallOutcome {
  return {
    requestId: request.requestId,
    attempts: 1,
    instance: 'shop/orders/one',
    agent: 'shop/orders',
    capability: 'order_query',
    replayed: false,
    cached: false,
    fallback: undefined,
    taskId: undefined,
    durationMs: 12,
    traceId: '0af7651916cd43dd8448eb211c80319c',
    ok: true,
    result: { status: 'paid' },
  };
}

/** What two instances answered to a broadcast, of which one failed. */
export function gathered(request: CallRequest): BroadcastOutcome {
  const error = new ReachError('RESPONSE_TIMEOUT', 'It did not answer within 50 ms.').toWire();
  return {
    requestId: request.requestId,
    traceId: '0af7651916cd43dd8448eb211c80319c',
    answers: [
      { instance: 'shop/orders/one', ok: true, result: { status: 'paid' }, durationMs: 12 },
      { instance: 'shop/orders/two', ok: false, error, durationMs: 50 },
    ],
  };
}
