import { isObject, nestsTooDeeply, parseCallRequest, ReachError, unsafeNumbers } from '@agent-reach/sdk/protocol';
import { Router } from 'express';
import { randomId } from '../../execute/calls/random-id.js';
import type { CallPort } from '../../execute/ports.js';
import type { Registry } from '../../perceive/registry.js';
import { callerContext } from '../caller-context.js';
import { replyFrame } from '../reply-frame.js';
import { type AuthenticatedDeps, authenticated, principalOf } from './authenticated.js';
import { parseJson, textBody, textOf } from './body.js';
import { capabilityRoutes } from './capability.routes.js';
import { answerFailed } from './errors.js';
import { type RefusalDeps, recordingRefusals } from './recorded-refusals.js';

export interface CallRoutesDeps extends AuthenticatedDeps, RefusalDeps {
  readonly calls: CallPort;
  readonly registry: Registry;
  readonly maxBytes: number;
}

/**
 * `POST /v1/call`, for callers without a socket: the fields of a `call` frame as JSON, with a bearer token.
 * Answers the fields of a `reply` frame, with the HTTP status of its error code; for a task 202, the fields of an
 * `accepted` frame, and where its state is found. What there is to call is found at
 * `GET /v1/capabilities`.
 */
export function callRoutes(deps: CallRoutesDeps): Router {
  const router = Router();
  router.use(capabilityRoutes(deps));
  router.post(
    '/v1/call',
    // Before the body is read, so that a stranger can't make the server read a megabyte.
    authenticated(deps),
    textBody(deps.maxBytes),
    (request, response) => {
      const principal = principalOf(response);
      const call = recordingRefusals(deps, principal, '/v1/call', () => parseBody(textOf(request)));
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
          const frame = replyFrame(outcome);
          const { type, ...body } = frame;
          if (type === 'accepted') response.status(202).location(`/v1/tasks/${frame.taskId}`).json(body);
          else if (frame.ok) response.json(body);
          else answerFailed(response, frame.error, body);
        });
    },
  );
  return router;
}

function parseBody(body: string) {
  const value = parseJson(body, '{"target":{"capability":"order_query"},"params":{}}');
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
