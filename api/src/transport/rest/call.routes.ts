import {
  type AuditRecorder,
  ERRORS,
  type ErrorCode,
  isObject,
  nestsTooDeeply,
  parseCallRequest,
  ReachError,
  unsafeNumbers,
} from '@agent-reach/sdk/protocol';
import express, { type NextFunction, type Request, type Response, Router } from 'express';
import type { CallPort } from '../../execute/ports.js';
import { randomId } from '../../execute/random-id.js';
import type { Principal } from '../../governance/access/principal.js';
import type { Registry } from '../../perceive/registry.js';
import { callerContext } from '../caller-context.js';
import { replyFrame } from '../reply-frame.js';

export interface CallRoutesDeps {
  /** Throws UNAUTHENTICATED, or STORAGE_UNAVAILABLE for a token that can't be looked up now. */
  readonly authenticate: (secret: string) => Promise<Principal>;
  readonly calls: CallPort;
  readonly registry: Registry;
  readonly maxBytes: number;
  readonly audit: AuditRecorder;
  /** Wall clock, ms since 1970. */
  readonly wall: () => number;
  readonly onRefused: (code: ErrorCode, address: string) => void;
}

/**
 * `POST /v1/call`, for callers without a socket: the fields of a `call` frame as JSON, with a bearer token.
 * Answers the fields of a `reply` frame, with the HTTP status of its error code.
 */
export function callRoutes(deps: CallRoutesDeps): Router {
  const router = Router();
  // Checked before the body is read, so that a stranger can't make the server read a megabyte.
  const authenticated = async (request: Request, response: Response, next: NextFunction) => {
    const secret = bearer(request);
    try {
      if (secret === undefined)
        throw new ReachError('UNAUTHENTICATED', 'Send the token as "Authorization: Bearer <token>".');
      response.locals.principal = await deps.authenticate(secret);
      next();
    } catch (error) {
      if (error instanceof ReachError && error.code === 'UNAUTHENTICATED') {
        deps.onRefused('UNAUTHENTICATED', request.socket.remoteAddress ?? 'unknown');
      }
      next(error);
    }
  };
  router.post(
    '/v1/call',
    authenticated,
    express.text({ type: () => true, limit: deps.maxBytes }),
    (request, response) => {
      const { principal } = response.locals as { principal: Principal };
      const call = recordingRefusals(deps, principal, () =>
        parseBody(typeof request.body === 'string' ? request.body : ''),
      );
      const traceparent = request.get('traceparent');
      const caller = callerContext(principal, deps.registry);
      const gone = new AbortController();
      response.on('close', () => gone.abort());
      if (response.closed) return;
      return deps.calls
        .call(
          {
            ...call,
            requestId: call.requestId ?? randomId(),
            traceparent: call.traceparent ?? traceparent,
            serving: undefined,
          },
          caller,
          gone.signal,
        )
        .then((outcome) => {
          const { type: _, ...body } = replyFrame(outcome);
          if (!outcome.ok && outcome.error.retryAfterMs !== undefined) {
            response.set('Retry-After', String(Math.ceil(outcome.error.retryAfterMs / 1000)));
          }
          response.status(outcome.ok ? 200 : ERRORS[outcome.error.code].status).json(body);
        });
    },
  );
  return router;
}

/** A body that can't be taken is a refusal like others: it is on record, under whoever sent it. */
function recordingRefusals<T>(deps: CallRoutesDeps, principal: Principal, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof ReachError) {
      deps.audit.record({
        occurredAt: deps.wall(),
        kind: 'REFUSAL',
        namespace: principal.namespace ?? '',
        action: `refusal.${error.code}`,
        actor: principal.caller,
        target: '/v1/call',
        outcome: error.code,
        details: { reason: error.message, fields: error.fields },
      });
    }
    throw error;
  }
}

function parseBody(body: string) {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new ReachError(
      'INVALID_INPUT',
      'The body must be a JSON object such as {"target":{"capability":"order_query"},"params":{}}.',
    );
  }
  if (nestsTooDeeply(body, value))
    throw new ReachError('INVALID_INPUT', 'The body is nested too deeply; allowed are 100 levels.');
  const call = parseCallRequest(value);
  const unsafe = isObject(value) ? unsafeNumbers(body, value.params, 'params') : [];
  if (unsafe.length > 0) {
    throw new ReachError(
      'INVALID_PARAMS',
      `${unsafe[0]?.path}: got ${unsafe[0]?.got}, allowed: ${unsafe[0]?.allowed}.`,
      { fields: unsafe },
    );
  }
  return call;
}

function bearer(request: Request): string | undefined {
  return /^Bearer (\S+)$/i.exec(request.get('authorization') ?? '')?.[1];
}
