import type { RegisterFrame } from '@agent-reach/sdk/protocol';
import { ReachError } from '@agent-reach/sdk/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { InstanceRecord } from '../../perceive/model.js';
import type { Registration } from '../../perceive/ports.js';
import { checkRegistration } from '../../perceive/registration.js';
import { registerFrame } from '../../perceive/testing.js';
import { openTestDatabase, type TestDatabase } from '../../storage/testing.js';
import { Changes } from '../changes.js';
import { AgentStore } from './agent.store.js';
import { AgentRegistrations } from './agents.registration.js';
import { InstanceWriter } from './instance-writer.js';

let database: TestDatabase;
let store: AgentStore;
let registrations: AgentRegistrations;
let writer: InstanceWriter;
const failures: unknown[] = [];

beforeEach(async () => {
  database = await openTestDatabase();
  store = new AgentStore(database.prisma);
  failures.length = 0;
  writer = new InstanceWriter({
    prisma: database.prisma,
    gatherMs: 3_600_000,
    retryMs: 3_600_000,
    onError: (error) => failures.push(error),
  });
  registrations = new AgentRegistrations(store, new Changes(database.prisma), writer);
  await database.prisma.namespace.create({ data: { id: 'shop' } });
  await database.prisma.agent.create({
    data: { namespaceId: 'shop', id: 'orders', weight: 7, labelOverrides: { a: 'b' } },
  });
});
afterEach(async () => {
  await writer.close();
  await database.close();
});

function registration(frame: Partial<RegisterFrame> = {}, agent = 'orders', enrolmentKeyId?: string): Registration {
  const who = { namespace: 'shop', agent, actor: `agent:shop/${agent}`, enrolmentKeyId };
  return checkRegistration(registerFrame(frame), who).registration;
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof ReachError ? error.code : `no ReachError: ${String(error)}`;
}

const entries = () => database.prisma.auditEntry.findMany({ orderBy: { sequence: 'asc' } });

const CAPABILITY = registerFrame().capabilities[0] ?? { name: '', description: '', inputSchema: {} };

describe('save', () => {
  it('stores what was reported, keeps what operators set, and leaves an audit entry', async () => {
    const record = await registrations.save(registration({ owner: 'team', labels: { zone: 'x' } }));
    expect(record).toMatchObject({
      ref: 'shop/orders',
      type: 'shop.orders',
      owner: 'team',
      labels: { zone: 'x' },
      settings: { weight: 7, paused: false, labelOverrides: { a: 'b' }, roles: [] },
      version: 2,
    });
    const version = record.versions.get('1.0.0');
    expect(version).toMatchObject({
      domain: 'PRODUCTION',
      capabilities: [{ name: 'order_query', idempotent: true, mode: 'SYNC' }],
    });
    expect(await store.all()).toEqual([record]);
    expect(await entries()).toMatchObject([
      {
        action: 'agent.register',
        actor: 'agent:shop/orders',
        target: 'shop/orders',
        namespaceId: 'shop',
        details: { after: { version: '1.0.0', capabilities: ['order_query'] } },
      },
    ]);
  });

  it('replaces the capabilities of a version and keeps the ids of those that stay', async () => {
    const first = await registrations.save(
      registration({ capabilities: [CAPABILITY, { ...CAPABILITY, name: 'order_drop' }] }),
    );
    const second = await registrations.save(registration({ capabilities: [{ ...CAPABILITY, tags: ['new'] }] }));
    expect(second.versions.get('1.0.0')?.capabilities).toEqual([
      { ...first.versions.get('1.0.0')?.capabilities.find(({ name }) => name === 'order_query'), tags: ['new'] },
    ]);
  });

  it('keeps versions apart', async () => {
    await registrations.save(registration());
    const record = await registrations.save(
      registration({ version: '2.0.0', capabilities: [{ ...CAPABILITY, outputSchema: true }] }),
    );
    expect([...record.versions.keys()]).toEqual(['1.0.0', '2.0.0']);
  });

  it('refuses another output schema under the same version', async () => {
    await registrations.save(registration());
    const other = registration({ capabilities: [{ ...CAPABILITY, outputSchema: { type: 'object' } }] });
    const error = await registrations.save(other).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'CONFLICT', fields: [{ path: 'capabilities.0.outputSchema' }] });
    expect(await entries()).toHaveLength(1);
  });

  it('takes an output schema whose keys come in another order for the same', async () => {
    const [a, b] = [
      { type: 'object', required: ['x'] },
      { required: ['x'], type: 'object' },
    ];
    await registrations.save(registration({ capabilities: [{ ...CAPABILITY, outputSchema: a }] }));
    await registrations.save(registration({ capabilities: [{ ...CAPABILITY, outputSchema: b, tags: ['t'] }] }));
  });

  it('does not know an agent that nobody created', async () => {
    expect(await codeOf(registrations.save(registration({}, 'nobody')))).toBe('NOT_FOUND');
  });
});

describe('an enrolment key', () => {
  const key = (data: { maxUses?: number; revokedAt?: Date; expiresAt?: Date } = {}) =>
    database.prisma.enrolmentKey.create({
      data: { namespaceId: 'shop', name: 'k', prefix: 'p', hash: crypto.randomUUID(), createdBy: 'user:ann', ...data },
    });

  it('creates agents and joins those that it created, each counted once', async () => {
    const { uid } = await key();
    const joins = [1, 2, 3].map(() => registrations.save(registration({}, 'stock', uid)));
    const records = await Promise.all(joins);
    expect(new Set(records.map((record) => record.uid)).size).toBe(1);
    expect(records[0]?.enrolmentKeyId).toBe(uid);
    expect(await database.prisma.enrolmentKey.findUnique({ where: { uid } })).toMatchObject({ uses: 1 });
  });

  it('joins no agent of others', async () => {
    const { uid } = await key();
    expect(await codeOf(registrations.save(registration({}, 'orders', uid)))).toBe('DENIED');
  });

  it.each([[{ maxUses: 0 }], [{ revokedAt: new Date('2026-01-01') }], [{ expiresAt: new Date('2020-01-01') }]])(
    'creates nothing with %j',
    async (data) => {
      const { uid } = await key(data);
      expect(await codeOf(registrations.save(registration({}, 'stock', uid)))).toBe('DENIED');
      expect(await database.prisma.agent.count({ where: { id: 'stock' } })).toBe(0);
    },
  );
});

describe('instances', () => {
  const record = (name: string, overrides: Partial<InstanceRecord> = {}): InstanceRecord => ({
    ref: `shop/orders/${name}`,
    agent: 'shop/orders',
    name,
    incarnation: 'i1',
    version: '1.0.0',
    zone: 'eu',
    settings: { lease: 'BATCH', startupGraceMs: 1, drainTimeoutMs: 2, maxConcurrency: 3, maxQueue: 4, maxTasks: 100 },
    paused: false,
    registeredAt: new Date('2026-03-01T10:00:00.000Z'),
    endpoint: undefined,
    ...overrides,
  });

  it('are remembered as they were last, and forgotten', async () => {
    await registrations.save(registration());
    registrations.rememberInstance(record('one'));
    registrations.rememberInstance(record('one', { paused: true, incarnation: 'i2' }));
    registrations.rememberInstance(record('two'));
    registrations.rememberInstance(record('lost', { ref: 'shop/gone/lost', agent: 'shop/gone' }));
    await writer.flush();
    registrations.forgetInstance('shop/orders/two');
    await writer.flush();
    expect(await store.allInstances()).toEqual([record('one', { paused: true, incarnation: 'i2' })]);
    expect(failures).toEqual([]);
  });

  it('are not lost by an outage of the database', async () => {
    await registrations.save(registration());
    let away = true;
    const flaky = new InstanceWriter({
      prisma: {
        $executeRaw: ((...args: Parameters<typeof database.prisma.$executeRaw>) => {
          if (away) return Promise.reject(Object.assign(new Error('no database'), { code: 'P1001' }));
          return database.prisma.$executeRaw(...args);
        }) as typeof database.prisma.$executeRaw,
      },
      gatherMs: 3_600_000,
      retryMs: 3_600_000,
    });
    flaky.remember(record('one'));
    await flaky.flush();
    flaky.remember(record('one', { zone: 'us' }));
    away = false;
    await flaky.flush();
    await flaky.close();
    expect(await store.allInstances()).toEqual([record('one', { zone: 'us' })]);
  });
});
