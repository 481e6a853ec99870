import { createLiveState, type RouteInstance } from '../decide/index.js';
import type { InstanceRef, RouteEntry } from '../protocol/index.js';

/** Somebody who can be called now. */
export type Route = Omit<RouteEntry, 'capabilities' | 'lifecycle' | 'health'> & {
  readonly health: RouteEntry['health'];
  /** Names of what you may call it for. */
  readonly capabilities: readonly string[];
};

/** An entry as decisions read it. Of load nothing is known here, and none is taken into account. */
export class CachedRoute implements RouteInstance {
  readonly ref: InstanceRef;
  readonly agent;
  readonly namespace: string;
  readonly agentType;
  readonly version;
  readonly domain;
  readonly zone;
  readonly weight;
  readonly maxConcurrency;
  readonly maxQueue;
  readonly maxTasks;
  readonly capabilities;
  readonly live;
  readonly route: Route;

  constructor(entry: RouteEntry) {
    const { capabilities, lifecycle, ...route } = entry;
    this.ref = entry.instance;
    this.agent = entry.agent;
    this.namespace = entry.agent.slice(0, entry.agent.indexOf('/'));
    this.agentType = entry.agentType;
    this.version = entry.version;
    this.domain = entry.domain;
    this.zone = entry.zone;
    this.weight = entry.weight;
    this.maxConcurrency = entry.maxConcurrency;
    this.maxQueue = entry.maxQueue;
    this.maxTasks = entry.maxTasks;
    this.capabilities = capabilities;
    this.live = createLiveState(lifecycle, entry.health, '');
    this.route = { ...route, capabilities: capabilities.map(({ name }) => name) };
  }
}
