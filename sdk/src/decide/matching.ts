import type { InstanceRef } from '../protocol/index.js';
import type { RouteInstance } from './candidate.js';
import { isRoutable } from './conditions.js';
import { passFor } from './decide.js';
import { PermissionAsker } from './permission-asker.js';
import type { Instant, RouteRequest } from './request.js';
import type { RouteTable } from './route-table.js';
import { domainOf } from './stages.js';

/**
 * Whom a broadcast asks, by name in alphabetical order: every instance that the target and the policy mean, that the
 * caller may call, and that takes calls at all, in the call's domain (canaries on trial with those that they share
 * production's calls with) and, where the policy forbids to leave it, its
 * zone. Those that are full or resting after failures are among them: each then tells so by itself, when it is asked by
 * a request with `only` and the same `requestId`.
 */
export function matchingInstances<I extends RouteInstance>(
  table: RouteTable<I>,
  request: RouteRequest,
  now: Instant,
): readonly InstanceRef[] {
  const pass = passFor(table, request, now, () => 0, undefined, table.policies);
  pass.begin(pass.listed.cells, undefined);
  const asker = new PermissionAsker(pass);
  const { drawn, other, canaryPercent } = pass.domains;
  const domains = canaryPercent === undefined ? [domainOf(pass, asker)] : [drawn, other];
  const zone = pass.policy.content.allowZoneCrossing ? undefined : request.zone;
  const refs = new Set<InstanceRef>();
  for (const candidate of pass.looked()) {
    const { instance } = candidate;
    if (!domains.includes(instance.domain) || (zone !== undefined && instance.zone !== zone)) continue;
    if (isRoutable(instance) && asker.check(candidate).allowed) refs.add(instance.ref);
  }
  return [...refs].sort();
}
