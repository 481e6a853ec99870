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
  readonly journal: { readonly dropped: number; readonly alarm: { readonly reason: string } | undefined };
  readonly loader: { readonly failure: string | undefined };
  readonly endpoints: WatchStatus;
  /** Why the audit cannot be trusted. */
  readonly auditFault: string | undefined;
  readonly registry: Pick<Registry, 'live'>;
  readonly delayMs: number;
}): HealthReport {
  const { database, journal, loader, endpoints, auditFault, registry, delayMs } = parts;
  const active = new Set<string>();
  for (const instance of registry.live()) if (instance.live.lifecycle === 'READY') active.add(instance.agent);
  return {
    checks: [
      { name: 'database', ok: database.reachable, reason: database.reason, required: true },
      {
        name: 'journal',
        ok: journal.alarm === undefined,
        reason:
          journal.alarm === undefined
            ? `${journal.dropped} entries dropped since the start`
            : `${journal.alarm.reason}; ${journal.dropped} entries dropped`,
        required: false,
      },
      { name: 'audit loader', ok: loader.failure === undefined, reason: loader.failure ?? 'keeps up', required: false },
      {
        name: 'HTTP endpoints',
        ok: !endpoints.inDoubt,
        reason: `${endpoints.failing} of ${endpoints.watched} fail their probes${endpoints.inDoubt ? ' at once: is this server cut off?' : ''}`,
        required: false,
      },
      {
        name: 'audit chain',
        ok: auditFault === undefined,
        reason: auditFault ?? 'joins on what was kept of it',
        required: false,
      },
    ],
    activeAgents: active.size,
    heartbeatDelayMs: delayMs,
    version: VERSION,
  };
}
