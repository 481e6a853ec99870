import { describe, expect, it } from 'vitest';
import { decide } from './decide.js';
import { createLiveState } from './live.js';
import type { RouteRequest } from './request.js';
import { type RouteCapability, type RouteInstance, RouteTable } from './route-table.js';

const NOW = { monotonic: 0, wall: 0 };

type Changeable = { -readonly [K in keyof RouteInstance]: RouteInstance[K] };

const capability = (name: string, more: Partial<RouteCapability> = {}): RouteCapability => ({
  ...{ name, aliases: [], tags: [], idempotent: true, mode: 'SYNC' as const },
  ...more,
});

function instance(agent: string, name: string, more: Partial<Changeable> = {}): Changeable {
  return {
    ref: `shop/${agent}/${name}`,
    agent: `shop/${agent}`,
    namespace: 'shop',
    agentType: 'shop.agent',
    version: '1.0.0',
    domain: 'PRODUCTION',
    zone: 'north',
    weight: 100,
    maxConcurrency: 10,
    maxQueue: 0,
    maxTasks: 100,
    capabilities: [capability('q')],
    live: createLiveState('READY', 'HEALTHY', ''),
    ...more,
  };
}

function tableOf(...instances: RouteInstance[]): RouteTable {
  const table = new RouteTable();
  for (const each of instances) table.put(each);
  table.setPermissions([{ id: 'r', namespace: 'shop', caller: '*', target: '*', capability: '*', effect: 'ALLOW' }]);
  return table;
}

const refs = (table: RouteTable, target: RouteRequest['target']): string[] =>
  table
    .match('shop', target)
    .candidates.map(({ instance: { ref } }) => ref)
    .sort();

function chosen(table: RouteTable, more: Partial<RouteRequest> = {}): string | undefined {
  const request: RouteRequest = {
    ...{ requestId: 'r', caller: 'agent:shop/web' as const, roles: [], namespace: 'shop' },
    ...{ target: { capability: 'q' }, zone: undefined, domain: 'PRODUCTION' as const },
    ...{ affinityKey: undefined, tried: undefined },
    ...more,
  };
  const decision = decide(table, request, NOW, Math.random);
  return decision.outcome === 'OK' ? decision.choice.instance.ref : undefined;
}

describe('a route table', () => {
  it('finds by each thing that a call can name, and by all of them together', () => {
    const table = tableOf(
      instance('a', '1', { agentType: 'shop.x', capabilities: [capability('q', { aliases: ['ask'], tags: ['t'] })] }),
      instance('a', '2', { agentType: 'shop.x' }),
      instance('b', '1', { agentType: 'shop.y' }),
    );
    expect(refs(table, { capability: 'q' })).toEqual(['shop/a/1', 'shop/a/2', 'shop/b/1']);
    expect(refs(table, { capability: 'ask' })).toEqual(['shop/a/1']);
    expect(refs(table, { agent: 'a' })).toEqual(['shop/a/1', 'shop/a/2']);
    expect(refs(table, { agent: 'a', capability: 'ask' })).toEqual(['shop/a/1']);
    expect(refs(table, { type: 'shop.y' })).toEqual(['shop/b/1']);
    expect(refs(table, { type: 'shop.x', capability: 'q', tags: ['t'] })).toEqual(['shop/a/1']);
    expect(refs(table, { agent: 'b', type: 'shop.x' })).toEqual([]);
    expect(refs(table, {})).toEqual([]);
  });

  it('finds an instance by what it is after a change, and no more by what it was', () => {
    const one = instance('a', '1');
    const table = tableOf(one, instance('b', '2', { zone: 'south' }));
    one.zone = 'south';
    table.put(one);
    expect(new Set(Array.from({ length: 40 }, () => chosen(table, { zone: 'south' }))).size).toBe(2);
    one.domain = 'CANARY';
    table.put(one);
    expect(chosen(table, { domain: 'CANARY' })).toBe('shop/a/1');
    expect(chosen(table)).toBe('shop/b/2');
    one.version = '2.0.0';
    table.put(one);
    expect(chosen(table, { domain: 'CANARY', target: { capability: 'q', versions: '^2' } })).toBe('shop/a/1');
    one.agentType = 'shop.other';
    table.put(one);
    expect(refs(table, { type: 'shop.agent' })).toEqual(['shop/b/2']);
    table.remove(one.ref);
    expect(refs(table, { capability: 'q' })).toEqual(['shop/b/2']);
    expect(refs(table, { agent: 'a' })).toEqual([]);
  });

  it('gives a new incarnation the place of the old one', () => {
    const table = tableOf(instance('a', '1'));
    const next = instance('a', '1', { version: '2.0.0' });
    table.put(next);
    expect(table.instance('shop/a/1')).toBe(next);
    expect(table.match('shop', { capability: 'q' }).candidates.map((each) => each.instance)).toEqual([next]);
  });

  it('stays right through any order of joining and leaving', () => {
    const table = new RouteTable();
    const present = new Set<string>();
    for (let step = 0; step < 3_000; step++) {
      const index = (step * 7_919) % 97;
      const each = instance(`a${index % 5}`, `i${index}`, { zone: index % 3 === 0 ? 'south' : 'north' });
      if (present.has(each.ref) && step % 2 === 0) {
        table.remove(each.ref);
        present.delete(each.ref);
      } else {
        table.put(each);
        present.add(each.ref);
      }
    }
    expect(refs(table, { capability: 'q' })).toEqual([...present].sort());
    const ofAgent = [...present].filter((ref) => ref.startsWith('shop/a3/')).sort();
    expect(refs(table, { agent: 'a3' })).toEqual(ofAgent);
    for (const ref of present) table.remove(ref as RouteInstance['ref']);
    expect(table.match('shop', { capability: 'q' }).size).toBe(0);
  });

  it('keeps a list of many candidates as one object, and says when it changed', () => {
    const table = tableOf(...Array.from({ length: 100 }, (_, index) => instance('a', `i${index}`)));
    const match = table.match('shop', { capability: 'q' });
    const { revision } = match;
    expect(table.match('shop', { capability: 'q' })).toBe(match);
    table.put(instance('a', 'one-more'));
    expect(table.match('shop', { capability: 'q' })).toBe(match);
    expect(match.revision).toBeGreaterThan(revision);
  });

  it.each([1, 100])('tells those who keep lists of a changed weight among %i', (count) => {
    const all = Array.from({ length: count }, (_, index) => instance('a', `i${index}`));
    const table = tableOf(...all);
    const match = table.match('shop', { capability: 'q' });
    const { revision } = match;
    const one = all[0] as Changeable;
    one.weight = 200;
    table.put(one);
    const after = table.match('shop', { capability: 'q' });
    expect(after !== match || after.revision > revision).toBe(true);
  });

  it('does not remember targets that match nobody', () => {
    const table = tableOf(instance('a', '1'));
    const nobody = table.match('shop', { agent: 'a', capability: 'made-up' });
    expect(nobody.size).toBe(0);
    expect(table.match('shop', { agent: 'a', capability: 'made-up' })).not.toBe(nobody);
  });

  it('narrows a match to some agents, and finds those who join them later', () => {
    const table = tableOf(instance('a', '1'), instance('b', '1'), instance('c', '1'));
    const agents = ['shop/c', 'shop/a', 'bank/b'] as const;
    const match = table.match('shop', { capability: 'q' });
    expect(match.narrowed(agents).candidates.map(({ instance: { ref } }) => ref)).toEqual(['shop/c/1', 'shop/a/1']);
    table.put(instance('a', '2', { zone: 'south' }));
    expect(match.narrowed(agents).size).toBe(3);
    expect(match.narrowed(agents).narrowed(['shop/b']).size).toBe(0);
    expect(table.match('shop', { capability: 'nothing' }).narrowed(agents).size).toBe(0);
  });
});
