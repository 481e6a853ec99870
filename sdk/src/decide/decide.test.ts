import { describe, expect, it } from 'vitest';
import { decide } from './decide.js';
import { createLiveState } from './live.js';
import type { RouteRequest } from './request.js';
import { type RouteCapability, type RouteInstance, RouteTable } from './route-table.js';

const NOW = { monotonic: 0, wall: 0 };
const capability = (name: string): RouteCapability => ({ name, aliases: [], tags: [], idempotent: true, mode: 'SYNC' });

interface Changeable extends RouteInstance {
  capabilities: readonly RouteCapability[];
  zone: string;
}

function instance(index: number, zone = 'north'): Changeable {
  return {
    ref: `shop/a${index}/i`,
    agent: `shop/a${index}`,
    namespace: 'shop',
    agentType: 'shop.agent',
    version: '1',
    domain: 'PRODUCTION',
    zone,
    weight: 100,
    maxConcurrency: 10,
    maxQueue: 0,
    maxTasks: 100,
    capabilities: [capability('q')],
    live: createLiveState('READY', 'HEALTHY', ''),
  };
}

function tableOf(instances: readonly RouteInstance[]): RouteTable {
  const table = new RouteTable();
  for (const each of instances) table.put(each);
  table.setPermissions([{ id: 'r', namespace: 'shop', caller: '*', target: '*', capability: '*', effect: 'ALLOW' }]);
  return table;
}

function request(overrides: Partial<RouteRequest> = {}): RouteRequest {
  return {
    requestId: 'r',
    caller: 'agent:shop/web',
    roles: [],
    namespace: 'shop',
    target: { capability: 'q' },
    zone: undefined,
    domain: 'PRODUCTION',
    affinityKey: undefined,
    tried: undefined,
    ...overrides,
  };
}

/** A small generator, so that a run can be repeated. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

describe('among many candidates', () => {
  it('the work is spread over all of them', () => {
    const instances = Array.from({ length: 200 }, (_, index) => instance(index));
    const table = tableOf(instances);
    const random = seeded(1);
    for (let call = 0; call < 1000; call++) {
      const decision = decide(table, request(), NOW, random);
      if (decision.outcome !== 'OK') throw new Error(decision.outcome);
      decision.choice.instance.live.inFlight++;
    }
    const counts = instances.map((each) => each.live.inFlight);
    expect(Math.min(...counts)).toBeGreaterThanOrEqual(3);
    expect(Math.max(...counts)).toBeLessThanOrEqual(7);
  });

  it('the one that is left is found, whatever the lot', () => {
    const instances = Array.from({ length: 500 }, (_, index) => instance(index));
    for (const each of instances.slice(1)) each.live.lifecycle = 'PAUSED';
    const table = tableOf(instances);
    for (let seed = 0; seed < 50; seed++) {
      const decision = decide(table, request(), NOW, seeded(seed));
      expect(decision.outcome === 'OK' && decision.choice.instance.ref).toBe('shop/a0/i');
    }
  });

  it('the own zone comes first even if it has only one of them', () => {
    const table = tableOf([...Array.from({ length: 500 }, (_, index) => instance(index)), instance(500, 'south')]);
    for (let seed = 0; seed < 50; seed++) {
      const decision = decide(table, request({ zone: 'south' }), NOW, seeded(seed));
      expect(decision.outcome === 'OK' && decision.choice.instance.ref).toBe('shop/a500/i');
    }
  });

  it('a saturated one is not taken while any other has room', () => {
    const instances = Array.from({ length: 300 }, (_, index) => instance(index));
    for (const each of instances.slice(1)) each.live.utilisation = 0.95;
    const table = tableOf(instances);
    for (let seed = 0; seed < 50; seed++) {
      const decision = decide(table, request(), NOW, seeded(seed));
      expect(decision.outcome === 'OK' && decision.choice.instance.ref).toBe('shop/a0/i');
    }
  });
});

describe('an instance that changed', () => {
  it('is found by what it has now and no more by what it had', () => {
    const one = instance(1);
    const table = tableOf([one]);
    one.capabilities = [capability('p')];
    one.zone = 'south';
    table.put(one);
    expect(decide(table, request(), NOW, Math.random).outcome).toBe('NO_ROUTE');
    expect(decide(table, request({ target: { capability: 'p' } }), NOW, Math.random).outcome).toBe('OK');
    table.remove(one.ref);
    expect(decide(table, request({ target: { capability: 'p' } }), NOW, Math.random).outcome).toBe('NO_ROUTE');
    expect(decide(table, request({ target: { agent: 'a1' } }), NOW, Math.random).outcome).toBe('NO_ROUTE');
  });
});
