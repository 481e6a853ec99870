import type { RegisterFrame } from '@agent-reach/sdk/protocol';
import { ReachError } from '@agent-reach/sdk/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentRecord, AgentVersionRecord, CanaryEnd } from '../../perceive/model.js';
import { checkRegistration } from '../../perceive/registration.js';
import { registerFrame, TestRegistry } from '../../perceive/testing.js';
import { openTestDatabase, type TestDatabase } from '../../storage/testing.js';
import { AgentService } from '../agents/agent.service.js';
import { AgentStore } from '../agents/agent.store.js';
import { AgentRegistrations } from '../agents/agents.registration.js';
import { InstanceWriter } from '../agents/instance-writer.js';
import { Changes } from '../changes.js';
import { RuleBook } from '../permissions/rule-book.js';
import { CanaryStore, type JudgedTrial } from './canary.store.js';

const NOW = Date.parse('2026-03-01T10:00:00.000Z');
const ANN = { caller: 'user:ann' };

let database: TestDatabase;
let store: AgentStore;
let registrations: AgentRegistrations;
let agents: AgentService;
let canaries: CanaryStore;
let now: number;

beforeEach(async () => {
  database = await openTestDatabase();
  now = NOW;
  store = new AgentStore(database.prisma);
  const changes = new Changes(database.prisma);
  const writer = new InstanceWriter({ prisma: database.prisma, gatherMs: 3_600_000 });
  registrations = new AgentRegistrations(store, changes, writer, () => now);
  const { registry } = new TestRegistry();
  const trials = { facts: () => ({ calls: 8, failures: 1, watchedMs: 0 }) };
  agents = new AgentService(store, changes, registry, new RuleBook(registry), trials, () => now);
  canaries = new CanaryStore(store, changes);
  await database.prisma.namespace.create({ data: { id: 'shop', canaryEnabled: true } });
  await database.prisma.agent.create({ data: { namespaceId: 'shop', id: 'orders' } });
});
afterEach(() => database.close());

function register(version: string, more: Partial<RegisterFrame> = {}): Promise<AgentRecord> {
  const who = { namespace: 'shop', agent: 'orders', actor: 'agent:shop/orders', enrolmentKeyId: undefined };
  return registrations.save(checkRegistration(registerFrame({ version, ...more }), who).registration);
}

async function stored(version: string): Promise<AgentVersionRecord> {
  const [agent] = await store.all();
  const found = agent?.versions.get(version);
  if (found === undefined) throw new Error(`there is no version ${version}`);
  return found;
}

async function trial(): Promise<JudgedTrial> {
  const { uid, version, canarySince } = await stored('2.0.0');
  return { agent: 'shop/orders', version, uid, since: canarySince };
}

const verdict = (kind: 'PROMOTED' | 'RETURNED'): CanaryEnd & { kind: 'PROMOTED' | 'RETURNED' } => ({
  kind,
  reason: 'because',
  at: new Date(NOW + 1_000),
  calls: 40,
  failures: 2,
});

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof ReachError ? error.code : `no ReachError: ${String(error)}`;
}

const actions = async () =>
  (await database.prisma.auditEntry.findMany({ orderBy: { sequence: 'asc' } })).map(({ action }) => action);

describe('a new version', () => {
  it('starts on trial beside one in production; the first of an agent starts in production', async () => {
    await register('1.0.0');
    now += 5;
    await register('2.0.0');
    expect(await stored('1.0.0')).toMatchObject({ domain: 'PRODUCTION', canarySince: null, canaryEnd: null });
    expect(await stored('2.0.0')).toMatchObject({ domain: 'CANARY', canarySince: new Date(NOW + 5), canaryEnd: null });
    await register('3.0.0');
    expect(await stored('3.0.0')).toMatchObject({ domain: 'CANARY' });
  });

  it('starts in production where nobody is to stand in for it, or nothing is tried out', async () => {
    await register('1.0.0');
    await agents.setVersionDomain(ANN, 'shop/orders', '1.0.0', 'STAGING');
    await register('2.0.0');
    expect(await stored('2.0.0')).toMatchObject({ domain: 'PRODUCTION', canarySince: null });
    await database.prisma.namespace.update({ where: { id: 'shop' }, data: { canaryEnabled: false } });
    await register('3.0.0');
    expect(await stored('3.0.0')).toMatchObject({ domain: 'PRODUCTION', canarySince: null });
  });

  it('stays where it is however often it registers again, with other content too', async () => {
    await register('1.0.0');
    await register('2.0.0');
    const before = await stored('2.0.0');
    now += 60_000;
    await register('2.0.0', { description: 'changed' });
    expect(await stored('2.0.0')).toMatchObject({ domain: 'CANARY', canarySince: before.canarySince });
    await canaries.end(await trial(), verdict('RETURNED'));
    await register('2.0.0', { description: 'changed again' });
    expect(await stored('2.0.0')).toMatchObject({ domain: 'STAGING', canaryEnd: { kind: 'RETURNED' } });
    await agents.setVersionDomain(ANN, 'shop/orders', '2.0.0', 'PRODUCTION');
    await register('2.0.0', { description: 'and again' });
    expect(await stored('2.0.0')).toMatchObject({ domain: 'PRODUCTION', canaryEnd: { kind: 'RELEASED' } });
  });
});

describe('a verdict', () => {
  beforeEach(async () => {
    await register('1.0.0');
    await register('2.0.0');
  });

  it('is stored with its audit entry, once', async () => {
    const judged = await trial();
    const record = await canaries.end(judged, verdict('PROMOTED'));
    expect(record.versions.get('2.0.0')).toEqual(await stored('2.0.0'));
    expect(await stored('2.0.0')).toMatchObject({ domain: 'PRODUCTION', canaryEnd: verdict('PROMOTED') });
    expect(await codeOf(canaries.end(judged, verdict('RETURNED')))).toBe('CONFLICT');
    expect(await stored('2.0.0')).toMatchObject({ domain: 'PRODUCTION', canaryEnd: { kind: 'PROMOTED' } });
    const entries = await database.prisma.auditEntry.findMany({ where: { action: { startsWith: 'canary.' } } });
    expect(entries).toMatchObject([
      {
        action: 'canary.promote',
        kind: 'CHANGE',
        actor: 'system',
        target: 'shop/orders',
        namespaceId: 'shop',
        details: {
          before: { agentVersion: '2.0.0', domain: 'CANARY' },
          after: { agentVersion: '2.0.0', domain: 'PRODUCTION', reason: 'because', calls: 40, failures: 2 },
        },
      },
    ]);
  });

  it('is of one of two that come at once', async () => {
    const judged = await trial();
    const both = [canaries.end(judged, verdict('PROMOTED')), canaries.end(judged, verdict('RETURNED'))];
    const ended = await Promise.allSettled(both);
    expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await actions()).filter((action) => action.startsWith('canary.'))).toHaveLength(1);
  });

  it.each([1, 2, 3, 4, 5, 6])('and a person who decides at the same time do not both win (%i)', async () => {
    const judged = await trial();
    const judge = canaries.end(judged, verdict('PROMOTED'));
    const person = agents.setVersionDomain(ANN, 'shop/orders', '2.0.0', 'STAGING', 'CANARY');
    const [byJudge, byPerson] = await Promise.allSettled([judge, person]);
    expect([byJudge.status, byPerson.status].sort()).toEqual(['fulfilled', 'rejected']);
    expect((await stored('2.0.0')).canaryEnd?.kind).toBe(byJudge.status === 'fulfilled' ? 'PROMOTED' : 'STOPPED');
    expect((await stored('2.0.0')).domain).toBe(byJudge.status === 'fulfilled' ? 'PRODUCTION' : 'STAGING');
  });

  it('is of no trial but the one that was judged', async () => {
    const judged = await trial();
    await agents.setVersionDomain(ANN, 'shop/orders', '2.0.0', 'STAGING');
    now += 1;
    await agents.setVersionDomain(ANN, 'shop/orders', '2.0.0', 'CANARY');
    expect(await codeOf(canaries.end(judged, verdict('PROMOTED')))).toBe('CONFLICT');
    expect(await stored('2.0.0')).toMatchObject({ domain: 'CANARY', canarySince: new Date(NOW + 1), canaryEnd: null });
    await canaries.end(await trial(), verdict('PROMOTED'));
    expect(await stored('2.0.0')).toMatchObject({ domain: 'PRODUCTION' });
  });

  it('is of nobody when the agent is gone', async () => {
    const judged = await trial();
    await agents.delete(ANN, 'shop/orders');
    expect(await codeOf(canaries.end(judged, verdict('PROMOTED')))).toBe('NOT_FOUND');
    expect(await actions()).not.toContain('canary.promote');
  });
});

describe('a person', () => {
  const move = (domain: AgentVersionRecord['domain'], expected?: AgentVersionRecord['domain']) =>
    agents.setVersionDomain(ANN, 'shop/orders', '2.0.0', domain, expected);

  beforeEach(async () => {
    await register('1.0.0');
    await register('2.0.0');
  });

  it('stops a canary, tries it again and releases it', async () => {
    await move('STAGING');
    expect(await stored('2.0.0')).toMatchObject({
      domain: 'STAGING',
      canaryEnd: { kind: 'STOPPED', reason: 'stopped by user:ann', at: new Date(NOW), calls: 8, failures: 1 },
    });
    now += 1_000;
    await move('CANARY');
    expect(await stored('2.0.0')).toMatchObject({ canarySince: new Date(NOW + 1_000), canaryEnd: null });
    await move('PRODUCTION');
    expect(await stored('2.0.0')).toMatchObject({
      domain: 'PRODUCTION',
      canaryEnd: { kind: 'RELEASED', reason: 'released by user:ann', calls: 8, failures: 1 },
    });
    await move('STAGING');
    expect(await stored('2.0.0')).toMatchObject({ domain: 'STAGING', canarySince: null, canaryEnd: null });
  });

  it('releases what was returned, and why it was stays known', async () => {
    await canaries.end(await trial(), verdict('RETURNED'));
    await move('PRODUCTION', 'STAGING');
    expect((await stored('2.0.0')).canaryEnd).toEqual({
      kind: 'RELEASED',
      reason: 'released by user:ann; before: because',
      at: new Date(NOW),
      calls: 40,
      failures: 2,
    });
  });

  it('hears what there is now when something came first', async () => {
    await canaries.end(await trial(), verdict('PROMOTED'));
    const error = await move('STAGING', 'CANARY').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'CONFLICT',
      details: { current: { version: '2.0.0', domain: 'PRODUCTION' } },
    });
    expect(await stored('2.0.0')).toMatchObject({ domain: 'PRODUCTION' });
  });

  it('changes nothing about a trial by saying what is', async () => {
    const before = await stored('2.0.0');
    now += 1_000;
    await move('CANARY');
    expect(await stored('2.0.0')).toEqual(before);
  });
});
