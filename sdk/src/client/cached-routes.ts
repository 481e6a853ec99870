import { matchingInstances, type RouteRequest, RouteTable } from '../decide/index.js';
import type { CallTarget, InstanceRef, RouteEntry } from '../protocol/index.js';
import { CachedRoute, type Route } from './cached-route.js';

/** What is read of a request only where there are policies, permissions or load; here is none of them. */
const ANYBODY = {
  requestId: 'who',
  caller: 'app:who/asks',
  roles: [],
  zone: undefined,
  affinityKey: undefined,
  tried: undefined,
} as const;

/** Percent. */
const SOME_SHARE = 5;

/** Routes as the server told them, matched by the code that its router matches by. */
export class CachedRoutes {
  private readonly table = new RouteTable<CachedRoute>();
  private readonly routes = new Map<InstanceRef, CachedRoute>();
  private readonly namespaces = new Set<string>();

  put(entry: RouteEntry): void {
    const { instance, lifecycle, capabilities } = entry;
    if (lifecycle === 'GONE' || capabilities.length === 0) {
      this.routes.delete(instance);
      this.table.remove(instance);
    } else {
      const route = new CachedRoute(entry);
      this.routes.set(instance, route);
      this.allow(route.namespace);
      this.table.put(route);
    }
  }

  /** In alphabetical order. A call has to name a capability where an agent has several; here each of them will do. */
  who(namespace: string, target: CallTarget, domain: RouteEntry['domain']): readonly Route[] {
    const refs = new Set<InstanceRef>();
    for (const capability of this.capabilitiesOf(namespace, target)) {
      const request: RouteRequest = { ...ANYBODY, namespace, domain, target: { ...target, capability } };
      for (const ref of matchingInstances(this.table, request, { monotonic: 0, wall: 0 })) refs.add(ref);
    }
    return [...refs].sort().flatMap((ref) => this.routes.get(ref)?.route ?? []);
  }

  private capabilitiesOf(namespace: string, { agent, capability }: CallTarget): Iterable<string> {
    if (capability !== undefined) return [capability];
    const names = new Set<string>();
    for (const route of this.routes.values()) {
      if (route.namespace !== namespace || (agent !== undefined && route.agent !== `${namespace}/${agent}`)) continue;
      for (const { name } of route.capabilities) names.add(name);
    }
    return names;
  }

  /** The server tells only what this caller may call, so in what is here everything is allowed. */
  private allow(namespace: string): void {
    if (this.namespaces.has(namespace)) return;
    this.namespaces.add(namespace);
    const everything = { caller: '*', target: '*', capability: '*', effect: 'ALLOW' } as const;
    this.table.setPermissions([...this.namespaces].map((each) => ({ ...everything, id: each, namespace: each })));
    // Canaries serve a share of production's calls, and all of them where nobody else is left; how large that share is
    // makes no difference to who may be reached.
    this.table.setCanaryShares(new Map([...this.namespaces].map((each) => [each, SOME_SHARE])));
  }
}
