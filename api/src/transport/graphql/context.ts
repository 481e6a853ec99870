import DataLoader from 'dataloader';
import type { Principal } from '../../governance/access/principal.js';
import type { TokenView } from '../../governance/access/tokens.js';
import type { PermissionView } from '../../governance/permissions/permission.view.js';
import type { GraphqlServices } from './services.js';

/** Batches what the fields of one request load one by one. Made anew for each request and each subscription event. */
export interface Loaders {
  /** Tokens by the uid of their agent. */
  readonly tokensOfAgent: DataLoader<string, readonly TokenView[]>;
  readonly permission: DataLoader<string, PermissionView | undefined>;
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
  readonly streams: Pick<GraphqlServices, 'health' | 'auditFeed'>;
}

export function createLoaders(services: Pick<GraphqlServices, 'tokens' | 'permissions'>): Loaders {
  return {
    tokensOfAgent: new DataLoader(async (uids: readonly string[]) => {
      const tokens = await services.tokens.ofAgents(uids);
      return uids.map((uid) => tokens.get(uid) ?? []);
    }),
    permission: new DataLoader((ids: readonly string[]) => services.permissions.byIds(ids).then((found) => [...found])),
  };
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
