import { describe, expect, it } from 'vitest';
import { decide } from './decide.js';
import { explain } from './explain.js';
import type { PermissionRule } from './permission.js';
import { DEFAULT_POLICY_CONTENT, type PolicyContent } from './policy.js';
import type { RouteRequest } from './request.js';
import { type RouteInstance, RouteTable } from './route-table.js';
import { seededRandom } from './seeded-random.js';
import { type TestInstance, testInstance } from './strategies/testing.js';

const NOW = { monotonic: 1_000, wall: 1_767_225_600_000 };
const ALL: PermissionRule = {
  ...{ id: 'all', namespace: 'shop', caller: '*', target: '*', capability: '*' },
  effect: 'ALLOW',
};

const request = (more: Partial<RouteRequest> = {}): RouteRequest => ({
  ...{ requestId: 'r', caller: 'agent:shop/web' as const, roles: [], namespace: 'shop' },
  ...{ target: { capability: 'q' }, zone: undefined, domain: 'PRODUCTION' as const },
  ...{ affinityKey: undefined, tried: undefined },
  ...more,
});

/** Counts how many instances a decision asks, by how often it reads their lifecycle. */
class Counted {
  readonly table = new RouteTable();
  readonly instances: TestInstance[];
  asked = 0;

  constructor(count: number, of: (index: number) => Partial<TestInstance>, rules = [ALL], content = {}) {
    this.instances = Array.from({ length: count }, (_, index) => {
      const instance = testInstance(`a${index % 50}`, `i${index}`, of(index));
      const { live } = instance;
      const { lifecycle } = live;
      Object.defineProperty(live, 'lifecycle', {
        get: () => {
          this.asked++;
          return lifecycle;
        },
      });
      return instance;
    });
    for (const instance of this.instances) this.table.put(instance);
    this.table.setPermissions(rules);
    const policy = { id: 'p', namespace: 'shop', name: 'p', version: 1, rolloutPercent: 100, stable: undefined };
    this.table.setPolicies([{ ...policy, content: { ...DEFAULT_POLICY_CONTENT, ...content } as PolicyContent }]);
  }

  /** What is chosen by so many seeds, and how many instances each decision asked at most. */
  choose(more: Partial<RouteRequest>, seeds = 30): { readonly refs: Set<string>; readonly most: number } {
    const refs = new Set<string>();
    let most = 0;
    for (let seed = 0; seed < seeds; seed++) {
      this.asked = 0;
      const decision = decide(this.table, request(more), NOW, seededRandom(seed));
      most = Math.max(most, this.asked);
      refs.add(decision.outcome === 'OK' ? decision.choice.instance.ref : decision.outcome);
    }
    return { refs, most };
  }
}

/** So many reads of the lifecycle are those of one sample: each is asked once, and once more in few cases. */
const FEW = 40;

describe('among 2,000 candidates only a few are asked', () => {
  it.each<
    [string, (index: number) => Partial<TestInstance>, Partial<RouteRequest>, (instance: RouteInstance) => boolean]
  >([
    ['by capability', () => ({}), {}, () => true],
    ['of one agent', () => ({}), { target: { agent: 'a7', capability: 'q' } }, ({ agent }) => agent === 'shop/a7'],
    [
      'of a type',
      (index) => ({ agentType: index % 20 === 0 ? 'shop.rare' : 'shop.usual' }),
      { target: { type: 'shop.rare', capability: 'q' } },
      ({ agentType }) => agentType === 'shop.rare',
    ],
    [
      'with tags',
      (index) => ({ capabilities: [{ ...Q, tags: index % 20 === 0 ? ['fast'] : [] }] }),
      { target: { capability: 'q', tags: ['fast'] } },
      ({ capabilities }) => capabilities[0]?.tags[0] === 'fast',
    ],
    [
      'of a version',
      (index) => ({ version: index % 20 === 0 ? '2.1.0' : '1.0.0' }),
      { target: { capability: 'q', versions: '^2' } },
      ({ version }) => version === '2.1.0',
    ],
    [
      'in a zone',
      (index) => ({ zone: index % 100 === 0 ? 'south' : 'north' }),
      { zone: 'south' },
      ({ zone }) => zone === 'south',
    ],
    ['in a zone that has nobody', () => ({}), { zone: 'west' }, () => true],
    [
      'in a domain',
      (index) => ({ domain: index % 50 === 0 ? 'CANARY' : 'PRODUCTION' }),
      { domain: 'CANARY' },
      ({ domain }) => domain === 'CANARY',
    ],
  ])('%s', (_, of, more, isMeant) => {
    const world = new Counted(2_000, of);
    const meant = new Set(world.instances.filter(isMeant).map(({ ref }) => ref as string));
    const { refs, most } = world.choose(more);
    for (const ref of refs) expect(meant).toContain(ref);
    expect(refs.size).toBeGreaterThan(Math.min(10, meant.size / 3));
    expect(most).toBeLessThanOrEqual(Math.max(FEW, meant.size <= 64 ? meant.size : 0));
  });

  it('when rules name the few agents that the caller may call', () => {
    const rules = ['shop/a3', 'shop/a4'].map((target) => ({ ...ALL, id: target, target }));
    const { refs, most } = new Counted(2_000, () => ({}), rules).choose({});
    for (const ref of refs) expect(ref).toMatch(/^shop\/a[34]\//);
    expect(most).toBeLessThanOrEqual(80);
  });

  it('when the policy lists agents', () => {
    const world = new Counted(2_000, () => ({}), [ALL], { candidates: ['shop/a3', 'shop/a4'] });
    const { refs, most } = world.choose({});
    for (const ref of refs) expect(ref).toMatch(/^shop\/a[34]\//);
    expect(most).toBeLessThanOrEqual(80);
  });

  it('when no rule allows anything, nobody is', () => {
    const { refs, most } = new Counted(2_000, () => ({}), []).choose({}, 1);
    expect([...refs]).toEqual(['DENIED']);
    expect(most).toBe(0);
  });
});

describe('an explanation among many', () => {
  const table = new RouteTable();
  for (let index = 0; index < 100; index++) {
    const instance = testInstance('pool', `i${index}`);
    if (index === 99) instance.live.lifecycle = 'PAUSED';
    table.put(instance);
  }
  table.setPermissions([ALL]);
  const explained = explain(table, request(), NOW, seededRandom(5), 't.1');

  it('says who was not drawn, and of them who would have fallen anyway', () => {
    const reasons = explained.candidates.map(({ stage, reason }) => `${stage}: ${reason}`);
    const count = (text: string) => reasons.filter((reason) => reason === text).length;
    expect(count('STRATEGY: chosen')).toBe(1);
    expect(count('STRATEGY: was not among the 16 drawn by lot')).toBe(83);
    expect(count('LIFECYCLE: is PAUSED, not READY ()')).toBe(1);
    expect(explained.candidates).toHaveLength(100);
  });

  it('counts the drawn ones from the stage after the target on', () => {
    expect(explained.stages.slice(0, 3)).toEqual([
      { stage: 'TARGET', entered: 100, kept: 100 },
      { stage: 'PERMISSION', entered: 16, kept: 16 },
      { stage: 'LIFECYCLE', entered: 16, kept: 16 },
    ]);
  });
});

const Q = { name: 'q', aliases: [], tags: [] as string[], idempotent: true, mode: 'SYNC' as const };
