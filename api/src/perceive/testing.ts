import { createHash } from 'node:crypto';
import type { AuditRecord, RegisterFrame } from '@agent-reach/sdk/protocol';
import type { Clock } from './clock.js';
import type { Instance, Link } from './instance.js';
import type { AgentRecord, HttpEndpoint, InstanceRecord } from './model.js';
import type { Registration, RegistrationStore } from './ports.js';
import { checkRegistration } from './registration.js';
import { type Joined, Registry, type RegistryListener, SWEEP_MS } from './registry.js';

/** A clock that moves when a test says so. */
export class TestClock implements Clock {
  #monotonic = 1_000_000;
  #wall = Date.parse('2026-01-01T00:00:00.000Z');

  monotonic(): number {
    return this.#monotonic;
  }
  wall(): number {
    return this.#wall;
  }
  /** Moves both clocks. */
  advance(ms: number): void {
    this.#monotonic += ms;
    this.#wall += ms;
  }
  /** Steps the wall clock alone, as an administrator or NTP does. */
  stepWall(ms: number): void {
    this.#wall += ms;
  }
}

/** Keeps registrations in memory: what governance does with Postgres, reduced to its contract. */
export class MemoryStore implements RegistrationStore {
  readonly saved: Registration[] = [];
  readonly forgotten: string[] = [];

  save(registration: Registration): Promise<AgentRecord> {
    this.saved.push(registration);
    return Promise.resolve(agentRecord(registration));
  }
  /** Told of each step in its order. */
  onInstance: (step: string) => void = () => {};

  rememberInstance(record: InstanceRecord): void {
    this.onInstance(`remember ${record.incarnation}`);
  }
  forgetInstance(ref: string): void {
    this.forgotten.push(ref);
    this.onInstance('forget');
  }
}

function agentRecord(registration: Registration): AgentRecord {
  const { namespace, agent, version, contentHash } = registration;
  const at = new Date('2026-01-01T00:00:00.000Z');
  return {
    uid: `uid-${namespace}-${agent}`,
    ref: `${namespace}/${agent}`,
    namespace,
    id: agent,
    type: registration.type,
    kind: registration.kind,
    description: registration.description,
    owner: registration.owner,
    labels: registration.labels,
    settings: { weight: 100, paused: false, labelOverrides: {}, roles: [] },
    enrolmentKeyId: null,
    version: 1,
    createdAt: at,
    updatedAt: at,
    versions: new Map([
      [
        version,
        {
          uid: `uid-${agent}-${version}`,
          version,
          domain: 'PRODUCTION',
          canarySince: null,
          canaryEnd: null,
          contentHash,
          createdAt: at,
          capabilities: registration.capabilities.map((each) => ({
            ...each,
            uid: createHash('md5').update(each.name).digest('hex'),
          })),
        },
      ],
    ]),
  };
}

/** A registration of `shop/orders` with one capability, `order_query`. */
export function registerFrame(overrides: Partial<RegisterFrame> = {}): RegisterFrame {
  return {
    type: 'register',
    id: '1',
    instance: 'one',
    version: '1.0.0',
    agentType: 'shop.orders',
    startupGraceMs: 0,
    capabilities: [
      {
        name: 'order_query',
        description: 'Use it to look up one order by its number; answers the order with its status.',
        inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
        outputSchema: { type: 'object', properties: { status: { type: 'string' } }, required: ['status'] },
        idempotent: true,
      },
    ],
    ...overrides,
  };
}

/** A connection that is open until a test says otherwise. */
export function testLink(id: string): Link & { isOpen: boolean } {
  return { id, isOpen: true };
}

/** A registry with a clock, a store and everything that it reports. */
export class TestRegistry {
  readonly clock = new TestClock();
  readonly store = new MemoryStore();
  readonly records: AuditRecord[] = [];
  readonly lost: Instance[] = [];
  /** Whose leases went back from light load. */
  readonly shortened: Instance[] = [];
  readonly registry: Registry;
  /** Told what instances say that they have. */
  onReported: RegistryListener['reported'] = () => {};

  constructor(onLost: (instance: Instance) => void = () => {}) {
    this.registry = new Registry({
      clock: this.clock,
      epoch: 'e1',
      store: this.store,
      audit: { record: (entry) => this.records.push(entry) },
      listener: {
        lost: (instance) => {
          this.lost.push(instance);
          onLost(instance);
        },
        draining: () => {},
        reported: (instance, report) => this.onReported(instance, report),
        leaseShortened: (instance) => this.shortened.push(instance),
        answersAgain: () => {},
      },
    });
    this.registry.setPermissions([
      { id: 'all', namespace: 'shop', caller: '*', target: '*', capability: '*', effect: 'ALLOW' },
    ]);
  }

  join(
    frame: Partial<RegisterFrame> = {},
    incarnation = 'inc-1',
    link: Link = testLink('link'),
    agent = 'orders',
    endpoint?: HttpEndpoint,
  ): Promise<Joined> {
    const checked = checkRegistration(registerFrame(frame), {
      namespace: 'shop',
      agent,
      actor: `agent:shop/${agent}`,
      enrolmentKeyId: undefined,
    });
    return this.registry.join(checked, incarnation, link, endpoint);
  }

  /** Joins and becomes READY. */
  async ready(
    frame: Partial<RegisterFrame> = {},
    incarnation = 'inc-1',
    link: Link = testLink('link'),
    agent = 'orders',
  ) {
    const { instance } = await this.join(frame, incarnation, link, agent);
    this.registry.ready(instance.ref, link);
    return instance;
  }

  /** Lets time pass with the sweeps that belong to it. */
  pass(ms: number): void {
    for (let done = 0; done < ms; done += SWEEP_MS) {
      this.clock.advance(Math.min(SWEEP_MS, ms - done));
      this.registry.sweep();
    }
  }
}
