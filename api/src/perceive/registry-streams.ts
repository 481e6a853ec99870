import type { AgentRef } from '@agent-reach/sdk/protocol';
import type { AgentRecord } from './model.js';
import type { RegistryStreams } from './ports.js';
import {
  type RegisteredAgent,
  type RegistryEvent,
  type RegistryFilter,
  type RegistryState,
  registeredAgent,
} from './registered-agent.js';
import { StreamHub } from './streams/stream-hub.js';
import type { StreamSubject } from './streams/stream-subject.js';

/** Agents that may wait for one reader; beyond that it begins anew with a snapshot. */
const MAX_WAITING = 10_000;

/** What filters look at. */
type RegistryFacets = Pick<RegisteredAgent, 'agent' | 'namespace' | 'type' | 'versions'>;

/** What is registered, as a stream for any number of readers: agents, their versions, and what these can do. */
export class RegistryHub implements RegistryStreams {
  readonly #hub: StreamHub<RegisteredAgent, RegistryFacets, RegistryState>;
  readonly #agents = new Map<AgentRef, { readonly state: RegisteredAgent; readonly text: string }>();

  constructor(epoch: string) {
    const states = this.#agents;
    this.#hub = new StreamHub(epoch, { ...SUBJECT, current: () => Array.from(states.values(), ({ state }) => state) });
  }

  /** The agent is registered so now. */
  put(record: AgentRecord): void {
    const state = registeredAgent(record);
    const text = JSON.stringify(state);
    if (this.#agents.get(record.ref)?.text === text) return;
    this.#agents.set(record.ref, { state, text });
    this.#hub.publish(state);
  }

  remove(agent: AgentRef): void {
    const known = this.#agents.get(agent);
    if (known === undefined) return;
    this.#agents.delete(agent);
    this.#hub.publish({ ...known.state, deleted: true });
  }

  checkpoint(): void {
    this.#hub.checkpoint();
  }

  close(): void {
    this.#hub.close();
  }

  open({ after, filter, visible }: Parameters<RegistryStreams['open']>[0]): AsyncIterableIterator<RegistryEvent> {
    const passes = passing(filter);
    return this.#hub.open({ after, concerns: (facets) => visible(facets.namespace) && passes(facets) });
  }
}

const SUBJECT: Omit<StreamSubject<RegisteredAgent, RegistryFacets, RegistryState>, 'current'> = {
  keyOf: ({ agent }) => agent,
  facetsOf: ({ agent, namespace, type, versions }) => ({ agent, namespace, type, versions }),
  // Registrations are rare, so each may count as one that filters see.
  sameFacets: (a, b) => a.type === b.type && a.versions === b.versions,
  isGone: ({ deleted }) => deleted,
  snapshot: (position, agents) => ({ kind: 'Snapshot', position, agents }),
  change: (position, agent) => ({ kind: 'Change', position, agent }),
  maxWaiting: MAX_WAITING,
  maxWaitingBytes: Number.POSITIVE_INFINITY,
};

function passing({ namespace, agent, type, capability }: RegistryFilter = {}): (facets: RegistryFacets) => boolean {
  return (facets) =>
    (namespace === undefined || facets.namespace === namespace) &&
    (agent === undefined || facets.agent === agent) &&
    (type === undefined || facets.type === type) &&
    (capability === undefined || facets.versions.some(({ capabilities }) => capabilities.includes(capability)));
}
