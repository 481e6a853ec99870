import { describe, expect, it } from 'vitest';
import { decide } from './decide.js';
import { DEFAULT_POLICY_CONTENT, type Policy, type PolicyContent } from './policy.js';
import { createPolicySet } from './policy-set.js';
import { type RecordedDecision, recordDecision } from './recorded.js';
import { replayDecision } from './replay.js';
import type { RouteRequest } from './request.js';
import { RouteTable } from './route-table.js';
import { seededRandom } from './seeded-random.js';
import { testInstance, testInstances } from './strategies/testing.js';

const NOW = { monotonic: 1_000, wall: 1_767_225_600_000 };

const policy = (content: Partial<PolicyContent>, version = 1): Policy => ({
  ...{ id: 'p', namespace: 'shop', name: 'p', version, rolloutPercent: 100, stable: undefined },
  content: { ...DEFAULT_POLICY_CONTENT, ...content },
});

function tableOf(content: Partial<PolicyContent>, instances = testInstances(3)): RouteTable {
  const table = new RouteTable();
  for (const instance of instances) table.put(instance);
  table.setPermissions([{ id: 'all', namespace: 'shop', caller: '*', target: '*', capability: '*', effect: 'ALLOW' }]);
  table.setPolicies([policy(content)]);
  return table;
}

function call(table: RouteTable, seed: number, more: Partial<RouteRequest> = {}): RecordedDecision {
  const request: RouteRequest = {
    ...{ requestId: `r${seed}`, caller: 'agent:shop/web' as const, roles: [], namespace: 'shop' },
    ...{ target: { capability: 'q' }, zone: undefined, domain: 'PRODUCTION' as const },
    ...{ affinityKey: undefined, tried: undefined },
    ...more,
  };
  const decision = decide(table, request, NOW, seededRandom(seed));
  const recorded = recordDecision(table, request, NOW, seed, decision);
  table.applied(decision);
  if (decision.outcome === 'OK') decision.choice.instance.live.inFlight++;
  return JSON.parse(JSON.stringify(recorded)) as RecordedDecision;
}

describe('a recorded decision', () => {
  it('shows what it took to decide, and nothing that has its usual value', () => {
    const table = tableOf({}, [testInstance('orders', 'a', { maxConcurrency: 10 })]);
    expect(call(table, 7)).toEqual({
      request: {
        ...{ requestId: 'r7', caller: 'agent:shop/web', roles: [], namespace: 'shop' },
        ...{ target: { capability: 'q' }, domain: 'PRODUCTION' },
      },
      now: NOW,
      seed: 7,
      drawnBefore: 0,
      policy: { id: 'p', version: 1 },
      capability: 'q',
      capabilities: [{ name: 'q', aliases: [], tags: [], idempotent: true, mode: 'SYNC' }],
      candidates: [
        {
          ...{ ref: 'shop/orders/a', agentType: 'shop.agent', version: '1.0.0', zone: 'north' },
          ...{ weight: 100, maxConcurrency: 10, capability: 0 },
        },
      ],
      looked: 1,
      lookedBy: 'ALL',
      matched: 1,
      truncated: false,
      permissions: { 'shop/orders': { q: true } },
      strategy: { name: 'WEIGHTED_SCORE', state: null },
      binding: null,
      outcome: 'OK',
      chosen: 'shop/orders/a',
    });
  });

  it('keeps the share for canaries that it was decided by', () => {
    const table = tableOf({}, [testInstance('orders', 'old'), testInstance('orders', 'new', { domain: 'CANARY' })]);
    table.setCanaryShares(new Map([['shop', 30]]));
    const recorded = Array.from({ length: 20 }, (_, seed) => call(table, seed));
    table.setCanaryShares(new Map());
    expect(recorded.every(({ canaryPercent }) => canaryPercent === 30)).toBe(true);
    expect(new Set(recorded.map(({ chosen }) => chosen)).size).toBe(2);
    const replayed = recorded.map((each) => replayDecision(each, table.policies));
    expect(replayed.map(({ chosen }) => chosen)).toEqual(recorded.map(({ chosen }) => chosen));
    const byAnother = recorded.map((each) => replayDecision(each, createPolicySet([policy({}, 2)])));
    expect(byAnother.map(({ chosen }) => chosen)).toEqual(recorded.map(({ chosen }) => chosen));
  });

  it('replays after everything has changed', () => {
    const instances = testInstances(3);
    const table = tableOf({ strategy: { name: 'LEAST_IN_FLIGHT' } }, instances);
    const recorded = Array.from({ length: 12 }, (_, seed) => call(table, seed));
    for (const { ref } of instances) table.remove(ref);
    table.setPermissions([]);
    const replayed = recorded.map((each) => replayDecision(each, table.policies));
    expect(replayed.map(({ chosen }) => chosen)).toEqual(recorded.map(({ chosen }) => chosen));
    expect(replayed.every(({ unknown }) => unknown.length === 0)).toBe(true);
  });

  it('replays whose turn it was, and leaves the turns of the router alone', () => {
    const table = tableOf({ strategy: { name: 'ROUND_ROBIN' } });
    const recorded = Array.from({ length: 6 }, (_, seed) => call(table, seed));
    const chosen = recorded.map((each) => each.chosen);
    expect(new Set(chosen.slice(0, 3)).size).toBe(3);
    for (const each of recorded) expect(replayDecision(each, table.policies).chosen).toBe(each.chosen);
    expect(call(table, 6).chosen).toBe(chosen[0]);
  });

  it('goes elsewhere under another version of the policy', () => {
    const table = tableOf({}, [testInstance('old', 'a'), testInstance('new', 'b')]);
    const recorded = Array.from({ length: 20 }, (_, seed) => call(table, seed));
    const draft = createPolicySet([policy({ candidates: ['shop/new'] }, 2)]);
    for (const each of recorded) {
      expect(replayDecision(each, draft)).toMatchObject({
        chosen: 'shop/new/b',
        policy: { id: 'p', version: 2 },
        unknown: [],
      });
    }
  });

  it('holds the ratios of a draft over all recorded calls', () => {
    const table = tableOf({}, [testInstance('old', 'a'), testInstance('new', 'b')]);
    const recorded = Array.from({ length: 100 }, (_, seed) => call(table, seed));
    const agents = [
      { agent: 'shop/old', ratio: 80 },
      { agent: 'shop/new', ratio: 20 },
    ] as const;
    const draft = createPolicySet([policy({ strategy: { name: 'PRIORITY_RATIO', agents, fallback: [] } }, 2)]);
    const moved = recorded.filter((each) => replayDecision(each, draft).chosen === 'shop/new/b');
    expect(moved).toHaveLength(20);
  });

  it('keeps the rule that denied it', () => {
    const table = tableOf({});
    table.setPermissions([{ id: 'no', namespace: 'shop', caller: '*', target: '*', capability: '*', effect: 'DENY' }]);
    const replayed = replayDecision(call(table, 1), table.policies);
    expect(replayed.outcome).toBe('DENIED');
    expect(replayed.message).toBe('No permission for all 3 candidates: 3 denied by rule no.');
  });

  it('replays a bound key', () => {
    const table = tableOf({ sticky: true }, testInstances(20));
    const affinityKey = 'a-hash-of-the-key';
    const first = call(table, 1, { affinityKey });
    const second = call(table, 2, { affinityKey });
    expect(replayDecision(first, table.policies).binding).toEqual({
      ...{ instance: first.chosen, kind: 'NEW', from: undefined },
    });
    expect(replayDecision(second, table.policies).binding).toEqual({
      ...{ instance: first.chosen, kind: 'KEPT', from: undefined },
    });
  });

  it('of more candidates than are recorded replays by its own policy, and says by another that it does not know', () => {
    const table = tableOf({}, testInstances(400));
    const recorded = call(table, 5);
    expect([recorded.candidates.length, recorded.matched, recorded.truncated]).toEqual([256, 400, true]);
    expect(replayDecision(recorded, table.policies)).toMatchObject({ chosen: recorded.chosen, unknown: [] });
    const draft = createPolicySet([policy({ strategy: { name: 'LEAST_IN_FLIGHT' } }, 2)]);
    expect(replayDecision(recorded, draft).unknown).toEqual([
      'Where it would go among all: of 400 candidates 256 were recorded.',
    ]);
  });
});
