import { DEFAULT_POLICY_CONTENT, type Policy } from '@agent-reach/sdk/decide';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Instance } from './instance.js';
import { TestRegistry, testLink } from './testing.js';

const oldLink = testLink('old');
let t: TestRegistry;
let old: Instance;

beforeEach(async () => {
  t = new TestRegistry();
  old = await t.ready({ instance: 'old', lease: 'BATCH' }, 'inc-old', oldLink);
});

/** Seconds until an instance has its whole share. */
function slowFor({ live }: Instance): number {
  return Math.max(0, live.rampUntil - t.clock.monotonic()) / 1_000;
}

function policy(slowStartMs: number): Policy {
  const { breaker } = DEFAULT_POLICY_CONTENT;
  const content = { ...DEFAULT_POLICY_CONTENT, breaker: { ...breaker, slowStartMs } };
  return { id: 'p', namespace: 'shop', name: 'p', version: 1, content, rolloutPercent: 100, stable: undefined };
}

describe('an instance comes to its share slowly', () => {
  it('when it is new beside one that serves', async () => {
    t.pass(10_000);
    const one = await t.ready();
    expect([slowFor(one), one.live.rampMs, slowFor(old)]).toEqual([10, 10_000, 0]);
    t.pass(4_000);
    expect(slowFor(one)).toBe(6);
    t.pass(6_000);
    expect(slowFor(one)).toBe(0);
  });

  it('when another incarnation takes its place', async () => {
    await t.ready({ lease: 'BATCH' });
    t.pass(20_000);
    expect(slowFor(await t.ready({}, 'inc-2'))).toBe(10);
  });

  it('when it comes back after it was lost', async () => {
    const link = testLink('link');
    const one = await t.ready({ lease: 'BATCH' }, 'inc-1', link);
    t.pass(20_000);
    t.registry.linkClosed(link, [one.ref]);
    await t.join({ lease: 'BATCH' }, 'inc-1', testLink('again'));
    expect([one.live.lifecycle, slowFor(one)]).toEqual(['READY', 10]);
  });

  it('when it was paused since it joined, from when it is resumed', async () => {
    t.pass(10_000);
    const one = await t.ready({ startupGraceMs: 600_000, lease: 'BATCH' });
    t.registry.pause(one.ref, 'user:ann', '');
    const next = await t.ready({ lease: 'BATCH' }, 'inc-2');
    expect(next.live.lifecycle).toBe('PAUSED');
    t.pass(60_000);
    t.registry.resume(next.ref, 'user:ann');
    expect([next.live.lifecycle, slowFor(next)]).toEqual(['READY', 10]);
  });

  it('for as long as the policy for its capability says', async () => {
    t.registry.setPolicies([policy(40_000)]);
    t.pass(40_000);
    const one = await t.ready({ lease: 'BATCH' });
    t.pass(15_000);
    expect([slowFor(one), one.live.rampMs]).toEqual([25, 40_000]);
  });
});

describe('an instance has its share at once', () => {
  it('as the first of its agent', () => {
    expect(slowFor(old)).toBe(0);
  });

  it('when all are new', async () => {
    t.pass(9_750);
    expect(slowFor(await t.ready())).toBe(0);
  });

  it('when those beside it get no calls', async () => {
    t.pass(10_000);
    t.registry.drain(old.ref, 'user:ann', '');
    expect(slowFor(await t.ready())).toBe(0);
  });

  it('when it was only paused or drained', async () => {
    const one = await t.ready({ lease: 'BATCH' });
    t.pass(20_000);
    t.registry.pause(one.ref, 'user:ann', '');
    t.registry.resume(one.ref, 'user:ann');
    t.registry.drain(one.ref, 'user:ann', '');
    t.registry.resume(one.ref, 'user:ann');
    expect([one.live.lifecycle, slowFor(one)]).toEqual(['READY', 0]);
  });

  it('when the policy says so', async () => {
    t.registry.setPolicies([policy(0)]);
    t.pass(60_000);
    expect(slowFor(await t.ready())).toBe(0);
  });

  it('when only the server was away; then a new one beside it comes slowly', async () => {
    const agent = t.registry.agent('shop/orders');
    if (agent === undefined) throw new Error('the agent is known');
    const u = new TestRegistry();
    u.registry.putAgent(agent);
    u.registry.restoreInstance(old.record);
    const back = (await u.join({ instance: 'old', lease: 'BATCH' }, 'inc-old')).instance;
    const fresh = await u.ready({ instance: 'fresh' }, 'inc-3', testLink('fresh'));
    t = u;
    expect([back.live.lifecycle, slowFor(back), slowFor(fresh)]).toEqual(['READY', 0, 10]);
  });
});
