import type { WatchStatus } from '../perceive/endpoints/endpoint-watch.js';
import type { Registry } from '../perceive/registry.js';

/** The version that `/health` and the socket's welcome tell. */
export const VERSION = '0.1.0';

/** One thing that the server's work depends on. */
export interface HealthCheck {
  readonly name: string;
  readonly ok: boolean;
  /** For a person. */
  readonly reason: string;
  /** Whether the server is not ready without it. */
  readonly required: boolean;
}

export interface HealthReport {
  readonly checks: readonly HealthCheck[];
  /** Agents that can be reached now. */
  readonly activeAgents: number;
  /** How late the latest sweep of leases ran, ms. */
  readonly heartbeatDelayMs: number;
  readonly version: string;
}

/**
 * What `/health` says. Without Postgres the server still carries calls of known agents, so a missing database makes it
 * not ready for what needs it, while `live` stays true.
 */
export function healthReport(parts: {
  readonly database: { readonly reachable: boolean; readonly reason: string };
  readonly audit: {
    readonly dropped: number;
    readonly alarm: { readonly reason: string } | undefined;
    readonly loaderFailure: string | undefined;
    readonly chainFault: string | undefined;
  };
  readonly endpoints: WatchStatus;
  readonly registry: Pick<Registry, 'live'>;
  readonly delayMs: number;
}): HealthReport {
  const { database, audit, endpoints, registry, delayMs } = parts;
  const active = new Set<string>();
  for (const instance of registry.live()) if (instance.live.lifecycle === 'READY') active.add(instance.agent);
  const check = (name: string, fault: string | undefined, fine: string): HealthCheck => ({
    name,
    ok: fault === undefined,
    reason: fault ?? fine,
    required: false,
  });
  const { alarm, dropped, loaderFailure, chainFault } = audit;
  const losing = alarm === undefined ? undefined : `${alarm.reason}; ${dropped} entries dropped`;
  return {
    checks: [
      { name: 'database', ok: database.reachable, reason: database.reason, required: true },
      check('journal', losing, `${dropped} entries dropped since the start`),
      check('audit loader', loaderFailure, 'keeps up'),
      check('audit chain', chainFault, 'joins on what was kept of it'),
      {
        name: 'HTTP endpoints',
        ok: !endpoints.inDoubt,
        reason: `${endpoints.failing} of ${endpoints.watched} fail their probes${endpoints.inDoubt ? ' at once: is this server cut off?' : ''}`,
        required: false,
      },
    ],
    activeAgents: active.size,
    heartbeatDelayMs: delayMs,
    version: VERSION,
  };
}
