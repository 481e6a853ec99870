import type { PermissionSet } from '@agent-reach/sdk/decide';
import type { RouteEntry, RouteFilter, RouteStreamEvent } from '@agent-reach/sdk/protocol';
import type { Instance } from '../instance.js';
import type { Seeker } from '../lookup/call-rights.js';
import { StreamHub } from '../streams/stream-hub.js';
import type { StreamReader } from '../streams/stream-reader.js';
import type { StreamSubject } from '../streams/stream-subject.js';
import { CallerRights } from './caller-rights.js';
import { entryOf, sameEntry } from './route-entry.js';
import { positionIn, VersionedRoutes } from './versioned-routes.js';

/** Instances that may wait for one reader; beyond that it begins anew with a snapshot. */
const MAX_WAITING = 10_000;

/** What decides whether a caller sees an instance. */
type RouteFacets = Pick<RouteEntry, 'agent' | 'capabilities'>;

/** An entry before it is cut to what a caller may call. */
export type UnversionedRoutes =
  | { readonly kind: 'Snapshot'; readonly position: string; readonly instances: readonly RouteEntry[] }
  | { readonly kind: 'Change'; readonly position: string; readonly instance: RouteEntry };

export interface RouteStreamsDeps {
  readonly epoch: string;
  readonly permissions: () => PermissionSet;
  /** Wall clock, ms since 1970. */
  readonly wall: () => number;
}

interface Follower {
  readonly rights: CallerRights;
  readonly reader: StreamReader<RouteEntry, RouteFacets, UnversionedRoutes>;
}

/**
 * The route table as callers may see it: instances in their scope with the capabilities that they may call, without
 * load. When a caller's rights change, it gets a fresh snapshot.
 */
export class RouteStreams {
  readonly #hub: StreamHub<RouteEntry, RouteFacets, UnversionedRoutes>;
  readonly #followers = new Set<Follower>();
  /** What was published last of each instance that is there. */
  readonly #entries = new Map<string, RouteEntry>();

  constructor(private readonly deps: RouteStreamsDeps) {
    this.#hub = new StreamHub(deps.epoch, { ...SUBJECT, current: () => this.#entries.values() });
  }

  /** Something about an instance may have changed. */
  follow(instance: Instance): void {
    const before = this.#entries.get(instance.ref);
    const entry = entryOf(instance);
    if (before === undefined ? entry.lifecycle === 'GONE' : sameEntry(before, entry)) return;
    if (entry.lifecycle === 'GONE') this.#entries.delete(instance.ref);
    else this.#entries.set(instance.ref, entry);
    this.#hub.publish(entry);
  }

  checkpoint(): void {
    this.#hub.checkpoint();
  }

  close(): void {
    this.#hub.close();
  }

  /** Lets those begin anew whose rights are others; called with each sweep, so that a removed right is gone in time. */
  refresh(): void {
    const now = this.deps.wall();
    for (const follower of this.#followers) {
      if (follower.reader.ended) this.#followers.delete(follower);
      else if (follower.rights.refresh(now)) follower.reader.restart('what you may call has changed');
    }
  }

  /** @param seeker who calls, with the roles of this moment */
  open(options: {
    readonly after?: string | undefined;
    readonly filter?: RouteFilter | undefined;
    readonly visible: (namespace: string) => boolean;
    readonly seeker: () => Seeker;
  }): AsyncIterableIterator<RouteStreamEvent> {
    const { after, filter, visible, seeker } = options;
    const rights = new CallerRights(this.deps.permissions, seeker, this.deps.wall());
    const isIn = (agent: string) => {
      const namespace = agent.slice(0, agent.indexOf('/'));
      return visible(namespace) && (filter?.namespace === undefined || filter.namespace === namespace);
    };
    const from = after === undefined ? undefined : positionIn(after, rights);
    const reader = this.#hub.open({
      after: from,
      concerns: ({ agent, capabilities }) => isIn(agent) && capabilities.some(({ name }) => rights.may(agent, name)),
      show: (entry) => ({
        ...entry,
        capabilities: entry.capabilities.filter(({ name }) => rights.may(entry.agent, name)),
      }),
    });
    this.#followers.add({ rights, reader });
    return new VersionedRoutes(reader, rights, from);
  }
}

const SUBJECT: Omit<StreamSubject<RouteEntry, RouteFacets, UnversionedRoutes>, 'current'> = {
  keyOf: ({ instance }) => instance,
  facetsOf: ({ agent, capabilities }) => ({ agent, capabilities }),
  sameFacets: (a, b) => a.capabilities === b.capabilities,
  isGone: ({ lifecycle }) => lifecycle === 'GONE',
  snapshot: (position, instances) => ({ kind: 'Snapshot', position, instances }),
  change: (position, instance) => ({ kind: 'Change', position, instance }),
  maxWaiting: MAX_WAITING,
  maxWaitingBytes: Number.POSITIVE_INFINITY,
};
