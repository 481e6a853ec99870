import { decide, type RouteRequest, recordDecision, seededRandom } from '@agent-reach/sdk/decide';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Router } from '../../execute/routing/router.js';
import { Replays } from '../../governance/policies/replay.js';
import { type BundledWorker, bundleWorker } from '../../governance/policies/replay.testing.js';
import { systemClock } from '../../perceive/clock.js';
import { GraphqlTestServer } from './testing.js';

let worker: BundledWorker;
let server: GraphqlTestServer;
let id: string;

/** Two agents that offer the same, a rule by which everybody may call them, and a policy that sends all to the first. */
beforeAll(async () => {
  worker = await bundleWorker(new URL('../../governance/policies/replay.worker.ts', import.meta.url));
  server = await GraphqlTestServer.open({ replays: new Replays({ worker: worker.url }) });
  const { registry, recentCalls } = server;
  const router = new Router({
    clock: systemClock,
    random: () => 0,
    registry,
    epoch: 'e1',
    recentCalls,
    needs: registry.lookup,
  });
  server.explain = (...args) => router.explain(...args);
  await server.namespace('shop');
  await server.namespace('bank');
  for (const agent of ['first', 'second']) {
    await server.ask(`mutation { createAgent(input: { namespace: "shop", id: "${agent}", type: "t" }) { ref } }`);
    await server.join(`shop/${agent}`, { instance: 'one' }, { id: agent, isOpen: true });
  }
  await server.ask(
    'mutation { createPermission(input: { caller: "*", target: "shop/*", capability: "*", effect: ALLOW }) { id } }',
  );
  const created = await server.ask<{ policy: { id: string } }>(
    'mutation ($i: CreatePolicyInput!) { createPolicy(input: $i) { policy { id } } }',
    { i: { namespace: 'shop', name: 'pinned', content: { candidates: ['shop/first'] } } },
  );
  id = created.policy.id;
});
afterAll(async () => {
  await server.close();
  worker.remove();
});

const EXPLAIN = `query ($i: ExplainRouteInput!, $d: PolicyDraftInput) { explainRoute(input: $i, draft: $d) {
  outcome chosen message policy { id name version strategy } rollout { newest percent stable }
  binding { instance kind from } unknown candidates { instance kept stage reason score parts } } }`;
const REPLAY = `query ($d: PolicyDraftInput!) { replayDraft(draft: $d) {
  recorded recordedEvery replayed concerned moved unknown since
  moves { from fromInstance fromOutcome to toInstance toOutcome calls } movesLeftOut unknownReasons { reason calls } } }`;

const input = { caller: 'agent:shop/web', target: { namespace: 'shop', capability: 'order_query' } };
const second = { namespace: 'shop', content: { candidates: ['shop/second'] } };

/** Calls as the router would decide and record them. */
function record(count: number): void {
  const { table } = server.registry;
  for (let seed = 0; seed < count; seed += 1) {
    const request: RouteRequest = {
      requestId: `r${seed}`,
      caller: 'agent:shop/web',
      roles: [],
      namespace: 'shop',
      target: { capability: 'order_query' },
      zone: undefined,
      domain: 'PRODUCTION',
      affinityKey: undefined,
      tried: undefined,
    };
    const now = { monotonic: systemClock.monotonic(), wall: systemClock.wall() };
    const decision = decide(table, request, now, seededRandom(seed));
    server.recentCalls.add(recordDecision(table, request, now, seed, decision), now.wall);
  }
}

describe('explainRoute with a draft', () => {
  it('shows where the call would go, by the code that decides, and changes nothing', async () => {
    expect(await server.ask(EXPLAIN, { i: input })).toMatchObject({
      chosen: 'shop/first/one',
      policy: { id, name: 'pinned', version: 1 },
    });
    expect(await server.ask(EXPLAIN, { i: input, d: { ...second, id } })).toMatchObject({
      outcome: 'OK',
      chosen: 'shop/second/one',
      policy: { id, name: 'pinned', version: 2, strategy: 'WEIGHTED_SCORE' },
      rollout: null,
      unknown: [],
      candidates: [
        { instance: 'shop/second/one', kept: true, reason: 'chosen' },
        { instance: 'shop/first/one', kept: false, stage: 'TARGET' },
      ],
    });
    expect(await server.ask(EXPLAIN, { i: input })).toMatchObject({ chosen: 'shop/first/one', policy: { version: 1 } });
  });

  it('that is a new policy counts beside the others', async () => {
    const d = { ...second, name: 'new', content: { ...second.content, match: { capability: 'order_query' } } };
    expect(await server.ask(EXPLAIN, { i: input, d })).toMatchObject({
      chosen: 'shop/second/one',
      policy: { id: 'draft', name: 'new', version: 1 },
    });
    const elsewhere = { ...second, content: { ...second.content, match: { capability: 'other' } } };
    expect(await server.ask(EXPLAIN, { i: input, d: elsewhere })).toMatchObject({ chosen: 'shop/first/one' });
  });

  it('says to which instance an affinity key would be bound, and what is not known', async () => {
    const d = { ...second, id, content: { ...second.content, sticky: true } };
    expect(await server.ask(EXPLAIN, { i: { ...input, affinityKey: 'k' }, d })).toMatchObject({
      binding: { instance: 'shop/second/one', kind: 'NEW', from: null },
    });
    const nobody = { ...input, target: { namespace: 'shop', capability: 'nobody_has_it' } };
    expect(await server.ask(EXPLAIN, { i: nobody, d })).toMatchObject({
      outcome: 'NO_ROUTE',
      chosen: null,
      unknown: [],
    });
    const tagged = { ...d, content: { ...d.content, match: { capability: '*', tags: ['slow'] } } };
    expect(await server.ask(EXPLAIN, { i: nobody, d: tagged })).toMatchObject({
      outcome: 'NO_ROUTE',
      unknown: ['Which tags nobody_has_it has, since nobody offers it: a policy that matches on tags may be for it.'],
    });
  });

  it.each([
    [{ namespace: 'shop', content: { timeoutMs: -1 } }, 'INVALID_INPUT', 'draft.content.timeoutMs'],
    [{ namespace: 'bank', content: {} }, 'INVALID_INPUT', 'draft.namespace'],
    [{ namespace: 'shop', id: '01900000-0000-7000-8000-000000000000', content: {} }, 'NOT_FOUND', undefined],
    [{ namespace: 'nowhere', content: {} }, 'INVALID_INPUT', 'draft.namespace'],
  ])('refuses %j', async (d, code, path) => {
    const { extensions } = await server.fail(EXPLAIN, { i: input, d });
    expect([extensions.code, extensions.fields?.[0]?.path]).toEqual([code, path]);
  });

  it('takes ranges of versions', async () => {
    const ranged = (versions: string) => ({ ...input, target: { ...input.target, versions } });
    expect(await server.ask(EXPLAIN, { i: ranged('>=1.0.0') })).toMatchObject({ outcome: 'OK' });
    expect(await server.ask(EXPLAIN, { i: ranged('^9.0.0') })).toMatchObject({ outcome: 'NO_ROUTE' });
    const { extensions } = await server.fail(EXPLAIN, { i: ranged('not a version') });
    expect(extensions.fields?.[0]?.path).toBe('input.target.versions');
  });
});

describe('replayDraft', () => {
  it('tells what would have become of recent calls, to those who may look', async () => {
    record(20);
    const { secret } = await server.appToken('shop', 'VIEWER', 'looks');
    const before = Date.now();
    const found = await server.ask<{ since: string }>(REPLAY, { d: { ...second, id } }, secret);
    expect(found).toMatchObject({
      recorded: 20,
      recordedEvery: 1,
      replayed: 20,
      concerned: 20,
      moved: 20,
      unknown: 0,
      moves: [
        {
          from: 'shop/first',
          fromInstance: 'shop/first/one',
          fromOutcome: 'OK',
          to: 'shop/second',
          toInstance: 'shop/second/one',
          toOutcome: 'OK',
          calls: 20,
        },
      ],
      movesLeftOut: 0,
      unknownReasons: [],
    });
    expect(Date.parse(found.since)).toBeLessThanOrEqual(before);
    expect(
      await server.ask(REPLAY, { d: { namespace: 'shop', id, content: { candidates: ['shop/first'] } } }),
    ).toMatchObject({ concerned: 20, moved: 0 });
  });

  it('sees no call of another namespace', async () => {
    record(1);
    const { secret } = await server.appToken('bank', 'ADMIN', 'elsewhere');
    expect(await server.ask(REPLAY, { d: { namespace: 'bank', content: {} } }, secret)).toMatchObject({ recorded: 0 });
    expect((await server.fail(REPLAY, { d: second }, secret)).extensions.code).toBe('NOT_FOUND');
  });

  it('refuses a draft with faults', async () => {
    const { extensions } = await server.fail(REPLAY, {
      d: { namespace: 'shop', content: { strategy: { name: 'LUCK' } } },
    });
    expect([extensions.code, extensions.fields?.[0]?.path]).toEqual(['INVALID_INPUT', 'draft.content.strategy.name']);
  });
});
