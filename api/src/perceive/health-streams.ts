import type { HealthFilter, HealthStreamEvent, InstanceHealth } from '@agent-reach/sdk/protocol';
import type { HealthStreams } from './ports.js';
import { StreamHub } from './streams/stream-hub.js';
import type { StreamSubject } from './streams/stream-subject.js';

/** Instances that may wait for one reader; beyond that it begins anew with a snapshot. */
const MAX_WAITING = 10_000;

/** What filters look at. */
type HealthFacets = Pick<InstanceHealth, 'agent' | 'capabilities' | 'lifecycle' | 'health'>;

type HealthState = Extract<HealthStreamEvent, { kind: 'Snapshot' | 'Change' }>;

/** Health as a stream for any number of readers. */
export class HealthHub implements HealthStreams {
  readonly #hub: StreamHub<InstanceHealth, HealthFacets, HealthState>;

  /** @param current the instances that are there now */
  constructor(epoch: string, current: () => Iterable<InstanceHealth>) {
    this.#hub = new StreamHub(epoch, { ...SUBJECT, current });
  }

  publish(health: InstanceHealth): void {
    this.#hub.publish(health);
  }

  checkpoint(): void {
    this.#hub.checkpoint();
  }

  close(): void {
    this.#hub.close();
  }

  open({ after, filter, visible }: Parameters<HealthStreams['open']>[0]): AsyncIterableIterator<HealthStreamEvent> {
    const passes = passing(filter);
    return this.#hub.open({
      after,
      concerns: (facets) => visible(facets.agent.slice(0, facets.agent.indexOf('/'))) && passes(facets),
    });
  }
}

const SUBJECT: Omit<StreamSubject<InstanceHealth, HealthFacets, HealthState>, 'current'> = {
  keyOf: ({ instance }) => instance,
  facetsOf: ({ agent, capabilities, lifecycle, health }) => ({ agent, capabilities, lifecycle, health }),
  sameFacets: (a, b) =>
    a.lifecycle === b.lifecycle && a.health === b.health && sameTexts(a.capabilities, b.capabilities),
  isGone: ({ lifecycle }) => lifecycle === 'GONE',
  snapshot: (position, instances) => ({ kind: 'Snapshot', position, instances }),
  change: (position, instance) => ({ kind: 'Change', position, instance }),
  maxWaiting: MAX_WAITING,
  maxWaitingBytes: Number.POSITIVE_INFINITY,
};

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((text, index) => text === b[index]));
}

/** Whether a filter lets an instance pass; what it gives must all match. */
function passing(filter: HealthFilter = {}): (facets: HealthFacets) => boolean {
  const { namespace, agent, capability, lifecycle, health } = filter;
  return (facets) =>
    (namespace === undefined || facets.agent.startsWith(`${namespace}/`)) &&
    (agent === undefined || facets.agent === agent) &&
    (capability === undefined || facets.capabilities.includes(capability)) &&
    (lifecycle === undefined || lifecycle.includes(facets.lifecycle)) &&
    (health === undefined || health.includes(facets.health));
}
