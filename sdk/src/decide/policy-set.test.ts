import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY_CONTENT, type Policy, type PolicyContent, type PolicyMatch } from './policy.js';
import { createPolicySet, DEFAULT_POLICY, type PolicySet } from './policy-set.js';

function contentOf(match: Partial<PolicyMatch>, priority = 0): PolicyContent {
  return { ...DEFAULT_POLICY_CONTENT, match: { ...DEFAULT_POLICY_CONTENT.match, ...match }, priority };
}

function policy(name: string, match: Partial<PolicyMatch> = {}, more: Partial<Policy> = {}): Policy {
  return {
    id: name,
    namespace: 'shop',
    name,
    version: 1,
    content: contentOf(match),
    rolloutPercent: 100,
    stable: undefined,
    ...more,
  };
}

function nameOf(set: PolicySet, capability = 'order.find', tags: readonly string[] = []): string {
  return set.find('shop', capability, tags, 'agent:shop/web', 'r1').name;
}

describe('which policy a call gets', () => {
  it('is the built-in default where none matches', () => {
    const set = createPolicySet([policy('stock', { capability: 'stock.*' })]);
    expect(set.find('shop', 'order.find', [], 'agent:shop/web', 'r1')).toBe(DEFAULT_POLICY);
    expect(set.find('bank', 'stock.find', [], 'agent:shop/web', 'r1')).toBe(DEFAULT_POLICY);
    expect(set.find('shop', 'stock.find', [], 'agent:shop/web', 'r1').name).toBe('stock');
  });

  it('is the one with the narrowest capability, whatever the priorities', () => {
    const broad = policy('broad', {}, { content: contentOf({}, 1000) });
    const prefix = policy('prefix', { capability: 'order.*' });
    const exact = policy(
      'exact',
      { capability: 'order.find' },
      { content: contentOf({ capability: 'order.find' }, -5) },
    );
    const set = createPolicySet([broad, prefix, exact]);
    expect(nameOf(set)).toBe('exact');
    expect(nameOf(set, 'order.make')).toBe('prefix');
    expect(nameOf(set, 'stock.find')).toBe('broad');
  });

  it('is then the one with the narrowest caller, then the one with the most tags', () => {
    const set = createPolicySet([
      policy('all'),
      policy('shop', { caller: 'agent:shop/*' }),
      policy('web', { caller: 'agent:shop/web' }),
      policy('tagged', { caller: 'agent:shop/web', tags: ['read', 'fast'] }),
    ]);
    expect(nameOf(set)).toBe('web');
    expect(nameOf(set, 'order.find', ['fast', 'read', 'new'])).toBe('tagged');
    expect(nameOf(set, 'order.find', ['fast'])).toBe('web');
    expect(set.find('shop', 'order.find', [], 'agent:shop/desk', 'r1').name).toBe('shop');
    expect(set.find('shop', 'order.find', [], 'user:ann', 'r1').name).toBe('all');
  });

  it('is among equals the one of the higher priority, then the first by name', () => {
    const high = policy('z', {}, { content: contentOf({}, 1) });
    expect(nameOf(createPolicySet([policy('a'), high, policy('b')]))).toBe('z');
    expect(nameOf(createPolicySet([policy('c'), policy('b'), policy('d')]))).toBe('b');
  });

  it('is remembered apart for each list of tags, also when they are joined alike', () => {
    const set = createPolicySet([
      policy('all'),
      policy('both', { tags: ['a', 'b'] }),
      policy('odd', { tags: ['a,b'] }),
    ]);
    for (let round = 0; round < 2; round++) {
      expect(nameOf(set, 'q', ['a', 'b'])).toBe('both');
      expect(nameOf(set, 'q', ['a,b'])).toBe('odd');
      expect(nameOf(set, 'q', [])).toBe('all');
    }
  });

  it('stays right for more different calls than are remembered', () => {
    const set = createPolicySet([policy('odd', { capability: 'c1*' }), policy('even', { capability: 'c2' })]);
    for (let index = 0; index < 45_000; index++) set.find('shop', `x${index}`, [], 'user:ann', 'r');
    expect(nameOf(set, 'c2')).toBe('even');
    expect(nameOf(set, 'x44999')).toBe('default');
  });
});

describe('a version that is rolled out to a part of the calls', () => {
  const ids = Array.from({ length: 10_000 }, (_, index) => `request-${index}`);
  const rolledOut = (percent: number, version = 2): PolicySet =>
    createPolicySet([
      policy('p', {}, { version, rolloutPercent: percent, stable: { version: 1, content: DEFAULT_POLICY_CONTENT } }),
    ]);
  const newOnes = (set: PolicySet, version = 2): Set<string> =>
    new Set(ids.filter((id) => set.find('shop', 'q', [], 'user:ann', id).version === version));

  it('is used by its share of the request ids', () => {
    const share = newOnes(rolledOut(30)).size / ids.length;
    expect(share).toBeGreaterThan(0.28);
    expect(share).toBeLessThan(0.32);
    expect(newOnes(rolledOut(1)).size).toBeGreaterThan(50);
    expect(newOnes(rolledOut(1)).size).toBeLessThan(150);
  });

  it('keeps the ids it had when it is widened, and after a restart', () => {
    const before = newOnes(rolledOut(30));
    expect(newOnes(rolledOut(30))).toEqual(before);
    const after = newOnes(rolledOut(50));
    expect([...before].filter((id) => !after.has(id))).toEqual([]);
    expect(after.size / ids.length).toBeGreaterThan(0.48);
    expect(after.size / ids.length).toBeLessThan(0.52);
  });

  it('begins with other ids than the version before it did', () => {
    const second = newOnes(rolledOut(30, 2), 2);
    const both = [...newOnes(rolledOut(30, 3), 3)].filter((id) => second.has(id));
    // Independent draws: 30 % of 30 %.
    expect(both.length / ids.length).toBeGreaterThan(0.07);
    expect(both.length / ids.length).toBeLessThan(0.11);
  });

  it('is for every call at 100 %', () => {
    expect(newOnes(rolledOut(100)).size).toBe(10_000);
  });

  it('gives each call the content of the version that it falls into, and tells of the rollout', () => {
    const content = contentOf({}, 7);
    const newest = policy(
      'p',
      {},
      { version: 4, content, rolloutPercent: 40, stable: { version: 2, content: contentOf({}) } },
    );
    const set = createPolicySet([newest]);
    const found = ids.map((id) => set.find('shop', 'q', [], 'user:ann', id));
    expect(new Set(found.map(({ version, content: { priority } }) => `${version} ${priority}`))).toEqual(
      new Set(['4 7', '2 0']),
    );
    for (const each of new Set(found)) expect(set.rollout(each)).toEqual({ newest: 4, percent: 40, stable: 2 });
    expect(set.rollout(DEFAULT_POLICY)).toBeUndefined();
  });

  it('sends a call that falls into it and that it does not match any more to the next policy', () => {
    const narrowed = policy(
      'orders',
      { capability: 'order.find' },
      { version: 2, rolloutPercent: 50, stable: { version: 1, content: contentOf({ capability: 'order.*' }) } },
    );
    const set = createPolicySet([narrowed, policy('all')]);
    const name = (id: string, capability: string): string => {
      const found = set.find('shop', capability, [], 'user:ann', id);
      return `${found.name} ${found.version}`;
    };
    const made = new Map<string, number>();
    for (const id of ids) {
      const version = name(id, 'order.find');
      // In the rollout a call of order.make goes to the next policy, else to the old version.
      expect(name(id, 'order.make')).toBe(version === 'orders 2' ? 'all 1' : 'orders 1');
      made.set(version, (made.get(version) ?? 0) + 1);
    }
    expect([...made.keys()].sort()).toEqual(['orders 1', 'orders 2']);
    expect(made.get('orders 2')).toBeGreaterThan(4800);
    expect(made.get('orders 2')).toBeLessThan(5200);
  });

  it('has its own priority, while the rest keep the old one', () => {
    const raised = policy(
      'raised',
      {},
      { version: 2, content: contentOf({}, 9), rolloutPercent: 50, stable: { version: 1, content: contentOf({}, 0) } },
    );
    const set = createPolicySet([raised, policy('rival', {}, { content: contentOf({}, 5) })]);
    const names = ids.map((id) => set.find('shop', 'q', [], 'user:ann', id).name);
    expect(new Set(names)).toEqual(new Set(['raised', 'rival']));
  });
});
