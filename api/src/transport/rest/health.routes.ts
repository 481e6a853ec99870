import { ReachError } from '@agent-reach/sdk/protocol';
import { Router } from 'express';
import type { Registry as PromRegistry } from 'prom-client';
import { mayDo } from '../../governance/access/actions.js';
import type { Principal } from '../../governance/access/principal.js';
import type { HealthReport } from '../../telemetry/health-report.js';

export interface HealthRoutesDeps {
  readonly report: () => HealthReport;
  readonly metrics: PromRegistry;
  /** Who sends a request, if it carries a token. */
  readonly authenticate: (secret: string) => Promise<Principal>;
  /** Without a token metrics are shown to this machine only, and only while the server listens to nobody else. */
  readonly openToThisMachine: boolean;
}

/** `/health` for load balancers and people, `/metrics` for Prometheus. */
export function healthRoutes(deps: HealthRoutesDeps): Router {
  const router = Router();
  router.get('/health', (_request, response) => {
    const { checks, ...rest } = deps.report();
    const ready = checks.every((check) => check.ok || !check.required);
    response.status(ready ? 200 : 503).json({
      live: true,
      ready,
      reasons: checks.filter((check) => !check.ok).map((check) => `${check.name}: ${check.reason}`),
      checks,
      ...rest,
    });
  });

  router.get('/metrics', async (request, response) => {
    const proxied = request.headers['x-forwarded-for'] !== undefined;
    if (!deps.openToThisMachine || proxied) {
      const secret = /^Bearer (\S+)$/i.exec(request.get('authorization') ?? '')?.[1];
      if (secret === undefined) {
        throw new ReachError(
          'UNAUTHENTICATED',
          'Send a token with the role VIEWER in all namespaces as "Authorization: Bearer <token>".',
        );
      }
      const answer = mayDo(await deps.authenticate(secret), 'agents.read', null);
      if (!answer.allowed) throw new ReachError('DENIED', `${answer.reason}.`);
    }
    response.set('Content-Type', deps.metrics.contentType).send(await deps.metrics.metrics());
  });
  return router;
}
