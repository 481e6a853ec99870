import {
  ERRORS,
  isObject,
  nestsTooDeeply,
  parseCallRequest,
  ReachError,
  unsafeNumbers,
} from '@agent-reach/sdk/protocol';
import express, { Router } from 'express';
import { randomId } from '../../execute/calls/random-id.js';
import type { CallPort } from '../../execute/ports.js';
import type { Registry } from '../../perceive/registry.js';
import { callerContext } from '../caller-context.js';
import { replyFrame } from '../reply-frame.js';
import { type AuthenticatedDeps, authenticated, principalOf } from './authenticated.js';
import { capabilityRoutes } from './capability.routes.js';
import { type RefusalDeps, recordingRefusals } from './recorded-refusals.js';

export interface CallRoutesDeps extends AuthenticatedDeps, RefusalDeps {
  readonly calls: CallPort;
  readonly registry: Registry;
  readonly maxBytes: number;
}

/**
 * `POST /v1/call`, for callers without a socket: the fields of a `call` frame as JSON, with a bearer token.
 * Answers the fields of a `reply` frame, with the HTTP status of its error code. What there is to call is found at
 * `GET /v1/capabilities`.
 */
export function callRoutes(deps: CallRoutesDeps): Router {
  const router = Router();
  router.use(capabilityRoutes(deps));
  router.post(
    '/v1/call',
    // Before the body is read, so that a stranger can't make the server read a megabyte.
    authenticated(deps),
    express.text({ type: () => true, limit: deps.maxBytes }),
    (request, response) => {
      const principal = principalOf(response);
      const call = recordingRefusals(deps, principal, '/v1/call', () =>
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
