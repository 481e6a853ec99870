import { Router } from 'express';
import { randomId } from '../../execute/calls/random-id.js';
import type { BroadcastPort } from '../../execute/ports.js';
import type { Registry } from '../../perceive/registry.js';
import { callerContext } from '../caller-context.js';
import { type AuthenticatedDeps, authenticated, principalOf } from './authenticated.js';
import { parseFrameBody, textBody } from './body.js';
import { answerFailed } from './errors.js';
import { type RefusalDeps, recordingRefusals } from './recorded-refusals.js';

export interface BroadcastRoutesDeps extends AuthenticatedDeps, RefusalDeps {
  readonly broadcasts: BroadcastPort;
  readonly registry: Registry;
  readonly maxBytes: number;
}

const EXAMPLE = '{"target":{"capability":"price_reload"},"params":{}}';

/**
 * `POST /v1/broadcast`, for callers without a socket: the fields of a `broadcast` frame as JSON, with a bearer token.
 * Answers the fields of a `gathered` frame: 200 with what every instance answered, or the status of the error for which
 * nobody was asked.
 */
export function broadcastRoutes(deps: BroadcastRoutesDeps): Router {
  const router = Router();
  router.post('/v1/broadcast', authenticated(deps), textBody(deps.maxBytes), async (request, response) => {
    const principal = principalOf(response);
    const body = recordingRefusals(deps, principal, '/v1/broadcast', () =>
      parseFrameBody('broadcast', request, { example: EXAMPLE, without: ['serving'], mayLack: ['requestId'] }),
    );
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    if (response.closed) return;
    const outcome = await deps.broadcasts.broadcast(
      {
        ...body,
        requestId: body.requestId ?? randomId(),
        traceparent: body.traceparent ?? request.get('traceparent'),
      },
      callerContext(principal, deps.registry),
      gone.signal,
    );
    if (response.closed) return;
    if ('error' in outcome) answerFailed(response, outcome.error, { ok: false, ...outcome });
    else response.json({ ok: true, ...outcome });
  });
  return router;
}
