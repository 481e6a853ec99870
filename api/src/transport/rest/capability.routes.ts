import { type FindRequest, parseFindRequest } from '@agent-reach/sdk/protocol';
import { type Request, Router } from 'express';
import type { Registry } from '../../perceive/registry.js';
import { callerContext } from '../caller-context.js';
import { findFor } from '../find.js';
import { type AuthenticatedDeps, authenticated, principalOf } from './authenticated.js';
import { type RefusalDeps, recordingRefusals } from './recorded-refusals.js';

export interface CapabilityRoutesDeps extends AuthenticatedDeps, RefusalDeps {
  readonly registry: Registry;
}

/**
 * `GET /v1/capabilities?text=…&namespace=…&limit=…`, for callers without a socket: what a `find` frame asks, with a
 * bearer token. Answers `{ capabilities }`, best first: what this token may call, and nothing else.
 */
export function capabilityRoutes(deps: CapabilityRoutesDeps): Router {
  const router = Router();
  router.get('/v1/capabilities', authenticated(deps), (request, response) => {
    const principal = principalOf(response);
    const capabilities = recordingRefusals(deps, principal, '/v1/capabilities', () =>
      findFor(deps.registry.lookup, callerContext(principal, deps.registry), searchOf(request)),
    );
    response.json({ capabilities });
  });
  return router;
}

/** In an address everything is text; a limit that is no number stays what it is, so that the error shows it. */
function searchOf({ query }: Request): FindRequest {
  const { limit } = query;
  const isNumber = typeof limit === 'string' && /^\d{1,9}$/.test(limit);
  return parseFindRequest(isNumber ? { ...query, limit: Number(limit) } : query);
}
