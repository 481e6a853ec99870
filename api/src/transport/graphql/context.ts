import DataLoader from 'dataloader';
import type { Principal } from '../../governance/access/principal.js';
import type { TokenView } from '../../governance/access/tokens.js';
import type { Page, PageRequest } from '../../governance/page.js';
import type { PermissionView } from '../../governance/permissions/permission.view.js';
import type { PolicyVersionInHistory } from '../../governance/policies/policy.view.js';
import type { GraphqlServices } from './services.js';

/** Batches what the fields of one request load one by one. Made anew for each request and each subscription event. */
export interface Loaders {
  /** Tokens by the uid of their agent. */
  readonly tokensOfAgent: DataLoader<string, readonly TokenView[]>;
  /** Whether a target was called with success. */
  readonly succeeded: DataLoader<string, boolean>;
  readonly permission: DataLoader<string, PermissionView | undefined>;
  /** A page of a policy's versions. */
  readonly policyVersions: DataLoader<PolicyVersionsKey, Page<PolicyVersionInHistory>, string>;
}

export interface PolicyVersionsKey {
  readonly id: string;
  readonly request: PageRequest;
}

/** What resolvers know of the request that they serve. Nothing runs without a principal. */
export interface GraphqlContext {
  readonly principal: Principal;
  /** Names the request in errors and in the log. */
  readonly requestId: string;
  /** Wall clock, ms since 1970. */
  readonly now: () => number;
  /** Aborted when the client went away. */
  readonly signal: AbortSignal;
  readonly loaders: Loaders;
  /** What subscriptions open; type-graphql gives them no resolver instance. */
  readonly streams: Pick<GraphqlServices, 'health' | 'registered' | 'auditFeed' | 'tasks'>;
}

export function createLoaders(
  services: Pick<GraphqlServices, 'tokens' | 'permissions' | 'policies' | 'audit'>,
): Loaders {
  return {
    tokensOfAgent: new DataLoader(async (uids: readonly string[]) => {
      const tokens = await services.tokens.ofAgents(uids);
      return uids.map((uid) => tokens.get(uid) ?? []);
    }),
    succeeded: new DataLoader(async (targets: readonly string[]) => {
      const found = await services.audit.succeeded(targets);
      return targets.map((target) => found.has(target));
    }),
    permission: new DataLoader((ids: readonly string[]) => services.permissions.byIds(ids).then((found) => [...found])),
    policyVersions: new DataLoader((keys: readonly PolicyVersionsKey[]) => versionPages(services.policies, keys), {
      cacheKeyFn: JSON.stringify,
    }),
  };
}

/** The policies of a list ask for the same page of their versions: one statement for all of them. */
async function versionPages(
  { reads }: Pick<GraphqlServices['policies'], 'reads'>,
  keys: readonly PolicyVersionsKey[],
): Promise<readonly Page<PolicyVersionInHistory>[]> {
  const requests = new Map(keys.map(({ request }) => [JSON.stringify(request), request]));
  const found = new Map<string, Page<PolicyVersionInHistory>>();
  for (const [text, request] of requests) {
    const ids = keys.filter((key) => JSON.stringify(key.request) === text).map(({ id }) => id);
    const pages = await reads.versions(ids, request);
    for (const [index, page] of pages.entries()) found.set(`${ids[index]} ${text}`, page);
  }
  const none = { items: [], hasNextPage: false, hasPreviousPage: false };
  return keys.map(({ id, request }) => found.get(`${id} ${JSON.stringify(request)}`) ?? none);
}

/** Makes the context of one request or one event. */
export function contextOf(parts: {
  readonly principal: Principal;
  readonly requestId: string;
  readonly signal: AbortSignal;
  readonly services: GraphqlServices;
}): GraphqlContext {
  const { principal, requestId, signal, services } = parts;
  return { principal, requestId, signal, now: services.now, loaders: createLoaders(services), streams: services };
}
