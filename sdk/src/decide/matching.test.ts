import { describe, expect, it } from 'vitest';
import { matchingInstances } from './matching.js';
import type { PolicyContent } from './policy.js';
import { type TestInstance, testInstance } from './strategies/testing.js';
import { NOW, Router } from './strategies/testing-router.js';

function routerOf(instances: readonly TestInstance[], content: Partial<PolicyContent> = {}): Router {
  return new Router({ name: 'LEAST_IN_FLIGHT' }, instances, content);
}

const matching = (router: Router, more = {}) => matchingInstances(router.table, router.request(more), NOW);

describe('matchingInstances', () => {
  it('names all who take calls, in one order whoever joined first', () => {
    const names = ['c', 'a', 'b'].map((name) => testInstance('pool', name));
    const all = ['shop/pool/a', 'shop/pool/b', 'shop/pool/c'];
    expect(matching(routerOf(names))).toEqual(all);
    expect(matching(routerOf([...names].reverse()))).toEqual(all);
  });

  it('leaves out who is not routed to, and not who is only full or resting', () => {
    const [full, resting, paused, offline, none] = ['full', 'resting', 'paused', 'offline', 'none'].map((name) =>
      testInstance('pool', name, { maxConcurrency: 1 }),
    ) as [TestInstance, TestInstance, TestInstance, TestInstance, TestInstance];
    full.live.inFlight = 1;
    resting.live.breaker = { state: 'OPEN', until: NOW.monotonic + 1, reason: 'failed' };
    paused.live.lifecycle = 'PAUSED';
    offline.live.health = 'OFFLINE';
    none.weight = 0;
    expect(matching(routerOf([full, resting, paused, offline, none]))).toEqual(['shop/pool/full', 'shop/pool/resting']);
  });

  it('leaves out whom the caller may not call', () => {
    const router = routerOf([testInstance('open', 'a'), testInstance('secret', 'b'), testInstance('expired', 'c')]);
    const rule = { namespace: 'shop', caller: 'agent:shop/web', capability: '*', effect: 'ALLOW' } as const;
    router.table.setPermissions([
      { ...rule, id: '1', target: 'shop/open' },
      { ...rule, id: '2', target: 'shop/expired', expiresAt: NOW.wall - 1 },
    ]);
    expect(matching(router)).toEqual(['shop/open/a']);
  });

  it('keeps to the domain, the versions and the agents of the policy, and crosses zones where that is allowed', () => {
    const instances = [
      testInstance('pool', 'near'),
      testInstance('pool', 'far', { zone: 'south' }),
      testInstance('pool', 'canary', { domain: 'CANARY' }),
      testInstance('pool', 'old', { version: '0.9.0' }),
      testInstance('other', 'x'),
    ];
    const content = { candidates: ['shop/pool'], versions: { range: '^1.0.0', sticky: false } } as const;
    expect(matching(routerOf(instances, content), { zone: 'north' })).toEqual(['shop/pool/far', 'shop/pool/near']);
    const near = routerOf(instances, { ...content, allowZoneCrossing: false });
    expect(matching(near, { zone: 'north' })).toEqual(['shop/pool/near']);
  });

  it('names canaries beside production where they share its calls, whatever lot the call drew', () => {
    const router = routerOf([
      testInstance('pool', 'new', { domain: 'CANARY' }),
      testInstance('pool', 'old'),
      testInstance('pool', 'returned', { domain: 'STAGING' }),
    ]);
    router.table.setCanaryShares(new Map([['shop', 20]]));
    const both = ['shop/pool/new', 'shop/pool/old'] as const;
    // r2 falls at 11.55 %, r3 at 94.65 %.
    for (const requestId of ['r2', 'r3']) {
      expect(matching(router, { requestId })).toEqual(both);
      expect(both.map((only) => router.choose({ requestId, only }).ref)).toEqual(both);
    }
  });

  it('goes by the target', () => {
    const router = routerOf([testInstance('pool', 'a'), testInstance('other', 'b')]);
    expect(matching(router, { target: { agent: 'other', capability: 'q' } })).toEqual(['shop/other/b']);
    expect(matching(router, { target: { capability: 'nothing' } })).toEqual([]);
  });
});

describe('a request for only one instance', () => {
  const instances = () => [testInstance('pool', 'a'), testInstance('pool', 'b'), testInstance('other', 'c')];
  const only = 'shop/pool/b';

  it('gets that one though others are idle', () => {
    const [a, b, c] = instances() as [TestInstance, TestInstance, TestInstance];
    b.live.inFlight = 50;
    const decision = routerOf([a, b, c]).ask({ only });
    expect(decision).toMatchObject({ outcome: 'OK', matched: 1, choice: { instance: { ref: only } } });
  });

  it('finds every one that matches, among many too', () => {
    const many = Array.from({ length: 200 }, (_, index) => testInstance('pool', `i${index}`));
    const router = routerOf(many);
    const refs = matching(router);
    expect(refs).toHaveLength(200);
    expect(refs.map((ref) => router.choose({ only: ref }).ref)).toEqual(refs);
  });

  it.each([
    ['is not there', { only: 'shop/pool/z' }, 'TARGET'],
    ['does not match the target', { only: 'shop/other/c', target: { agent: 'pool', capability: 'q' } }, 'TARGET'],
  ] as const)('gets nobody when it %s', (_, more, stage) => {
    expect(routerOf(instances()).ask(more)).toMatchObject({ outcome: 'NO_ROUTE', stage, matched: 0 });
  });

  it('is told what keeps that one from it', () => {
    const [a, b] = instances() as [TestInstance, TestInstance];
    const router = routerOf([a, b]);
    b.live.lifecycle = 'DRAINING';
    expect(router.ask({ only })).toMatchObject({ outcome: 'NO_ROUTE', reasons: [{ reason: 'DRAINING', count: 1 }] });
    b.live.lifecycle = 'READY';
    b.maxConcurrency = 1;
    b.live.inFlight = 1;
    expect(router.ask({ only }).outcome).toBe('OVERLOADED');
    router.table.setPermissions([]);
    expect(router.ask({ only }).outcome).toBe('DENIED');
  });

  it('does not reach an agent that the policy leaves out', () => {
    const router = routerOf(instances(), { candidates: ['shop/other'] });
    expect(router.ask({ only })).toMatchObject({ outcome: 'NO_ROUTE', stage: 'TARGET' });
    expect(router.ask({ only: 'shop/other/c' }).outcome).toBe('OK');
  });
});
