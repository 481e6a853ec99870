import { describe, expect, it } from 'vitest';
import { type TestInstance, testInstance } from './strategies/testing.js';
import { Router } from './strategies/testing-router.js';

const STICKY = { sticky: true } as const;
const affinityKey = 'cart-7';

/** Two agents in two zones, all of it idle. */
function fleet(): TestInstance[] {
  return [
    testInstance('orders', 'n1', { zone: 'north' }),
    testInstance('orders', 'n2', { zone: 'north' }),
    testInstance('stock', 's1', { zone: 'south' }),
    testInstance('stock', 's2', { zone: 'south', domain: 'CANARY' }),
  ];
}

const home = (router: Router, instances: readonly TestInstance[]): TestInstance =>
  instances.find(({ ref }) => ref === router.choose({ affinityKey }).ref) as TestInstance;

describe('a bound key stays where it is bound', () => {
  it.each([
    ['comes from another zone', { zone: 'south' }],
    ['comes from another domain', { domain: 'CANARY' as const }],
    ['asks for another agent', { target: { agent: 'stock', capability: 'q' } }],
  ])('while one call %s', (_, elsewhere) => {
    const router = new Router({ name: 'LEAST_IN_FLIGHT' }, fleet(), STICKY);
    const bound = router.choose({ affinityKey, zone: 'north' }).ref;
    expect(bound).toMatch(/^shop\/orders\//);
    const away = router.choose({ affinityKey, ...elsewhere }).ref;
    expect(away).toMatch(/^shop\/stock\//);
    expect(router.choose({ affinityKey, ...elsewhere }).ref).toBe(away);
    expect(router.choose({ affinityKey }).ref).toBe(bound);
  });

  it('while its instance is full', () => {
    const instances = fleet();
    const router = new Router({ name: 'LEAST_IN_FLIGHT' }, instances, STICKY);
    const bound = home(router, instances);
    bound.live.inFlight = bound.maxConcurrency;
    expect(router.choose({ affinityKey }).ref).not.toBe(bound.ref);
    bound.live.inFlight = 0;
    expect(router.choose({ affinityKey }).ref).toBe(bound.ref);
  });
});

describe('a bound key moves once, and stays there when the lost instance is back', () => {
  type Change = (instance: TestInstance, router: Router) => void;
  const set =
    (live: Partial<TestInstance['live']>): Change =>
    (instance) =>
      Object.assign(instance.live, live);

  it.each<[string, Change, Change]>([
    ['is drained', set({ lifecycle: 'DRAINING' }), set({ lifecycle: 'READY' })],
    ['is offline', set({ health: 'OFFLINE' }), set({ health: 'HEALTHY' })],
    [
      'rests after failures',
      set({ breaker: { state: 'OPEN', until: 2_000, reason: 'failed' } }),
      set({ breaker: { state: 'CLOSED' } }),
    ],
    ['is gone', ({ ref }, { table }) => table.remove(ref), (instance, { table }) => table.put(instance)],
  ])('when its instance %s', (_, lose, giveBack) => {
    const instances = fleet();
    const router = new Router({ name: 'LEAST_IN_FLIGHT' }, instances, STICKY);
    const bound = home(router, instances);
    lose(bound, router);
    const next = router.choose({ affinityKey }).ref;
    expect(next).not.toBe(bound.ref);
    giveBack(bound, router);
    for (let call = 0; call < 20; call++) expect(router.choose({ affinityKey }).ref).toBe(next);
  });
});
