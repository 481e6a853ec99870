import { describe, expect, it } from 'vitest';
import { explain } from './explain.js';
import { DEFAULT_POLICY_CONTENT, type Policy, type PolicyContent } from './policy.js';
import { createPolicySet } from './policy-set.js';
import type { RouteRequest } from './request.js';
import { RouteTable } from './route-table.js';
import { seededRandom } from './seeded-random.js';
import { testInstance } from './strategies/testing.js';

const NOW = { monotonic: 1_000, wall: 1_767_225_600_000 };

const policy = (content: Partial<PolicyContent>, more: Partial<Policy> = {}): Policy => ({
  ...{ id: 'p', namespace: 'shop', name: 'p', version: 3, rolloutPercent: 100, stable: undefined },
  content: { ...DEFAULT_POLICY_CONTENT, ...content },
  ...more,
});

function tableOf(...policies: Policy[]): RouteTable {
  const table = new RouteTable();
  for (const name of ['a', 'b']) table.put(testInstance('orders', name));
  table.setPermissions([{ id: 'all', namespace: 'shop', caller: '*', target: '*', capability: '*', effect: 'ALLOW' }]);
  table.setPolicies(policies);
  return table;
}

const request = (more: Partial<RouteRequest> = {}): RouteRequest => ({
  ...{ requestId: 'r', caller: 'agent:shop/web' as const, roles: [], namespace: 'shop' },
  ...{ target: { capability: 'q' }, zone: undefined, domain: 'PRODUCTION' as const },
  ...{ affinityKey: undefined, tried: undefined },
  ...more,
});

const explained = (table: RouteTable, more: Partial<RouteRequest> = {}, policies = table.policies) =>
  explain(table, request(more), NOW, seededRandom(1), 'e.7', policies);

describe('an explanation', () => {
  it('names stages, candidates with the parts of their scores, and the policy', () => {
    const got = explained(tableOf(policy({ strategy: { name: 'LEAST_IN_FLIGHT' } })));
    expect(got).toEqual({
      outcome: 'OK',
      chosen: 'shop/orders/b',
      message: 'shop/orders/b was chosen by LEAST_IN_FLIGHT.',
      policy: { id: 'p', name: 'p', version: 3, strategy: 'LEAST_IN_FLIGHT' },
      rollout: undefined,
      binding: undefined,
      stages: ['TARGET', 'PERMISSION', 'LIFECYCLE', 'DOMAIN', 'ZONE', 'CAPACITY', 'BREAKER', 'STRATEGY'].map(
        (stage) => ({ stage, entered: 2, kept: 2 }),
      ),
      candidates: [
        {
          ...{ instance: 'shop/orders/b', kept: true, stage: 'STRATEGY', reason: 'chosen', score: -1 },
          parts: { inFlight: 0, weight: 100, healthFactor: 1 },
        },
        {
          ...{ instance: 'shop/orders/a', kept: true, stage: 'STRATEGY', score: -1 },
          reason: 'equal to the chosen one, which won by lot',
          parts: { inFlight: 0, weight: 100, healthFactor: 1 },
        },
      ],
      unknown: [],
      tableVersion: 'e.7',
    });
  });

  it('says into which version of a policy the call falls while one is rolled out', () => {
    const content = { ...DEFAULT_POLICY_CONTENT, candidates: ['shop/nobody'] as const };
    const table = tableOf(policy({}, { rolloutPercent: 50, stable: { version: 2, content } }));
    const versions = Array.from({ length: 20 }, (_, index) => explained(table, { requestId: `r${index}` }));
    for (const got of versions) {
      expect(got.rollout).toEqual({ newest: 3, percent: 50, stable: 2 });
      expect(got.outcome).toBe(got.policy.version === 3 ? 'OK' : 'NO_ROUTE');
    }
    expect(new Set(versions.map((got) => got.policy.version))).toEqual(new Set([2, 3]));
  });

  it('tells what an affinity key is bound to, and binds nothing itself', () => {
    const table = tableOf(policy({ sticky: true }));
    const got = explained(table, { affinityKey: 'k' });
    expect(got.binding).toEqual({ instance: got.chosen, kind: 'NEW', from: undefined });
    expect(table.bindings.size).toBe(0);
  });

  it('tries other policies without changing anything', () => {
    const table = tableOf();
    const draft = createPolicySet([policy({ candidates: ['shop/other'] }, { version: 4 })]);
    const { version } = table;
    expect(explained(table, {}, draft)).toMatchObject({ outcome: 'NO_ROUTE', policy: { id: 'p', version: 4 } });
    expect(explained(table)).toMatchObject({ outcome: 'OK', policy: { id: null } });
    expect(table.version).toBe(version);
  });

  it('says that it does not know the tags of what nobody offers, where a policy asks for tags', () => {
    const tagged = policy({ match: { capability: '*', tags: ['slow'], caller: '*' } });
    expect(explained(tableOf(tagged), { target: { capability: 'later' } }).unknown).toEqual([
      'Which tags later has, since nobody offers it: a policy that matches on tags may be for it.',
    ]);
    expect(explained(tableOf(tagged)).unknown).toEqual([]);
    expect(explained(tableOf(policy({})), { target: { capability: 'later' } }).unknown).toEqual([]);
  });
});
