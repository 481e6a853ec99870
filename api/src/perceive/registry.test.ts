import type { HealthStreamEvent, InstanceHealth } from '@agent-reach/sdk/protocol';
import { describe, expect, it } from 'vitest';
import { registerFrame, TestRegistry, testLink } from './testing.js';

describe('an instance that joins', () => {
  it('is STARTING until it says ready, then READY', async () => {
    const t = new TestRegistry();
    const link = testLink('link');
    const { instance, lease } = await t.join({ startupGraceMs: 3000 }, 'inc-1', link);
    expect(instance.live.lifecycle).toBe('STARTING');
    expect(lease).toEqual({ intervalMs: 5000, ttlMs: 15000 });
    t.registry.ready('shop/orders/one', link);
    expect(instance.live).toMatchObject({ lifecycle: 'READY', health: 'HEALTHY', reason: 'ready' });
  });

  it('is READY by itself when its grace is over', async () => {
    const t = new TestRegistry();
    const { instance } = await t.join({ startupGraceMs: 3000 });
    t.pass(2750);
    expect(instance.live.lifecycle).toBe('STARTING');
    t.pass(500);
    expect(instance.live).toMatchObject({ lifecycle: 'READY', reason: 'startup grace is over' });
  });

  it('writes to the store only when what it reports is new', async () => {
    const t = new TestRegistry();
    await t.join();
    await t.join({}, 'inc-2');
    expect(t.store.saved).toHaveLength(1);
    await t.join({ description: 'another' }, 'inc-3');
    expect(t.store.saved).toHaveLength(2);
  });
});

describe('a lease', () => {
  it('may have times of its own', async () => {
    const t = new TestRegistry();
    const { instance, lease } = await t.join({ lease: { intervalMs: 2_000, ttlMs: 10_000 } });
    expect(lease).toEqual({ intervalMs: 2_000, ttlMs: 10_000 });
    expect(t.registry.instance(instance.ref)?.lease).toEqual({
      profile: 'CUSTOM',
      intervalMs: 2_000,
      ttlMs: 10_000,
    });
    t.pass(9_750);
    expect(instance.live.lifecycle).toBe('READY');
    t.pass(250);
    expect(instance.live).toMatchObject({ lifecycle: 'SUSPECT', reason: 'no heartbeat for 10.0 s' });
  });

  it('that gets no heartbeat ends: out of routing, SUSPECT and OFFLINE with the reason', async () => {
    const t = new TestRegistry();
    const instance = await t.ready();
    t.pass(14_750);
    expect(instance.live.lifecycle).toBe('READY');
    t.pass(500);
    expect(instance.live).toMatchObject({ lifecycle: 'SUSPECT', health: 'OFFLINE', reason: 'no heartbeat for 15.0 s' });
    expect(t.lost).toEqual([instance]);
  });

  it('is extended by a heartbeat', async () => {
    const t = new TestRegistry();
    const link = testLink('link');
    const instance = await t.ready({}, 'inc-1', link);
    for (let beat = 0; beat < 10; beat++) {
      t.pass(5000);
      t.registry.heartbeat(instance.ref, link, {});
    }
    expect(instance.live.lifecycle).toBe('READY');
  });

  it('is gone after the observation time', async () => {
    const t = new TestRegistry();
    const instance = await t.ready();
    t.pass(15_000);
    const { lifecycle, changedAt, observedUntil } = t.registry.instance(instance.ref) ?? {};
    expect([lifecycle, (observedUntil?.getTime() ?? 0) - (changedAt?.getTime() ?? 0)]).toEqual(['SUSPECT', 45_000]);
    t.pass(44_750);
    expect(instance.live.lifecycle).toBe('SUSPECT');
    t.pass(250);
    expect(instance.live.lifecycle).toBe('GONE');
    expect(t.registry.instance('shop/orders/one')).toBeUndefined();
    expect(t.store.forgotten).toEqual(['shop/orders/one']);
  });

  it('does not end because the server itself stood still for 20 s', async () => {
    const t = new TestRegistry();
    const instance = await t.ready();
    t.pass(5000);
    t.clock.advance(20_000);
    t.registry.sweep();
    expect(instance.live.lifecycle).toBe('READY');
    // The sweep itself was due after 250 ms; all beyond that is the server's own.
    t.pass(9_500);
    expect(instance.live.lifecycle).toBe('READY');
    t.pass(250);
    expect(instance.live.lifecycle).toBe('SUSPECT');
  });

  it('is extended by every moment that sweeps are late, however small', async () => {
    const t = new TestRegistry();
    const instance = await t.ready();
    const lateSweeps = (count: number) => {
      for (let sweep = 0; sweep < count; sweep++) {
        t.clock.advance(300);
        t.registry.sweep();
      }
    };
    // 17.7 s have passed, of which 2.95 s are the sweeps' own.
    lateSweeps(59);
    expect(instance.live.lifecycle).toBe('READY');
    lateSweeps(1);
    expect(instance.live.lifecycle).toBe('SUSPECT');
  });

  it.each([600_000, -600_000])('does not care about a step of the wall clock by %i ms', async (stepMs) => {
    const t = new TestRegistry();
    const instance = await t.ready();
    t.pass(5_000);
    t.clock.stepWall(stepMs);
    t.pass(9_750);
    expect(instance.live.lifecycle).toBe('READY');
    t.pass(250);
    expect(instance.live.lifecycle).toBe('SUSPECT');
    t.clock.stepWall(stepMs);
    t.pass(44_750);
    expect(instance.live.lifecycle).toBe('SUSPECT');
    t.pass(250);
    expect(instance.live.lifecycle).toBe('GONE');
  });

  it('is not revived by a heartbeat after goodbye', async () => {
    const t = new TestRegistry();
    const link = testLink('link');
    const instance = await t.ready({}, 'inc-1', link);
    t.registry.goodbye(instance.ref, link);
    expect(() => t.registry.heartbeat(instance.ref, link, {})).toThrow(
      'This connection holds no live lease of shop/orders/one; register again.',
    );
    expect(t.registry.instance(instance.ref)).toBeUndefined();
  });
});

describe('incarnations', () => {
  it('the same one on a new connection goes on as it was, and the old connection touches nothing', async () => {
    const t = new TestRegistry();
    const before = testLink('before');
    const after = testLink('after');
    const first = await t.ready({}, 'inc-1', before);
    first.live.inFlight = 3;
    const { instance, resumed } = await t.join({}, 'inc-1', after);
    expect({ same: instance === first, resumed, inFlight: instance.live.inFlight }).toEqual({
      same: true,
      resumed: true,
      inFlight: 3,
    });
    t.registry.linkClosed(before, [first.ref]);
    expect(instance.live.lifecycle).toBe('READY');
    expect(t.lost).toEqual([]);
  });

  it('another one replaces the instance: the old one is settled once and its closing touches nothing', async () => {
    const t = new TestRegistry();
    const before = testLink('before');
    const after = testLink('after');
    const first = await t.ready({}, 'inc-1', before);
    const second = await t.ready({}, 'inc-2', after);
    expect(first.live).toMatchObject({ lifecycle: 'GONE', reason: 'another incarnation took its place' });
    t.registry.linkClosed(before, [first.ref]);
    expect(t.lost).toEqual([first]);
    expect(second.live.lifecycle).toBe('READY');
    expect(t.registry.instance('shop/orders/one')?.incarnation).toBe('inc-2');
  });

  it('a closed connection ends the lease at once', async () => {
    const t = new TestRegistry();
    const link = testLink('link');
    const instance = await t.ready({}, 'inc-1', link);
    t.registry.linkClosed(link, [instance.ref]);
    expect(instance.live).toMatchObject({ lifecycle: 'SUSPECT', health: 'OFFLINE', reason: 'connection closed' });
  });
});

describe('a drain', () => {
  it('outlives a lost connection of the same process', async () => {
    const t = new TestRegistry();
    const link = testLink('link');
    const instance = await t.ready({}, 'inc-1', link);
    t.registry.drain(instance.ref, 'user:ann', 'upgrade');
    t.registry.linkClosed(link, [instance.ref]);
    await t.join({}, 'inc-1', testLink('again'));
    expect(instance.live).toMatchObject({ lifecycle: 'DRAINING', reason: 'the same process is back, still draining' });
  });
});

describe('a drain of an instance that is lost', () => {
  it('holds when it is back', async () => {
    const t = new TestRegistry();
    const link = testLink('link');
    const instance = await t.ready({}, 'inc-1', link);
    t.registry.linkClosed(link, [instance.ref]);
    t.registry.drain(instance.ref, 'user:ann', 'upgrade');
    expect(instance.live).toMatchObject({ lifecycle: 'SUSPECT', reason: 'upgrade, for when it is back' });
    await t.join({}, 'inc-1', testLink('again'));
    expect(instance.live.lifecycle).toBe('DRAINING');
  });

  it('is over when an operator resumes it meanwhile', async () => {
    const t = new TestRegistry();
    const link = testLink('link');
    const instance = await t.ready({}, 'inc-1', link);
    t.registry.drain(instance.ref, 'user:ann', 'upgrade');
    t.registry.linkClosed(link, [instance.ref]);
    t.registry.resume(instance.ref, 'user:bob');
    expect(instance.live).toMatchObject({ lifecycle: 'SUSPECT', reason: 'resumed by user:bob, for when it is back' });
    await t.join({}, 'inc-1', testLink('again'));
    expect(instance.live.lifecycle).toBe('READY');
  });
});

describe('what is reported', () => {
  it.each(['inc-1', 'inc-2'])('replaces all that was reported before, also by incarnation %s', async (incarnation) => {
    const t = new TestRegistry();
    const [capability] = registerFrame().capabilities;
    if (capability === undefined) throw new Error('it has one');
    await t.ready({
      version: '2.0.0',
      zone: 'east',
      lease: { intervalMs: 2_000, ttlMs: 10_000 },
      maxConcurrency: 7,
      maxQueue: 3,
      maxTasks: 2,
      drainTimeoutMs: 1_000,
      capabilities: [capability, { ...capability, name: 'order_drop' }],
    });
    const { instance } = await t.join({ startupGraceMs: undefined }, incarnation);
    expect(t.registry.instance(instance.ref)).toMatchObject({
      version: '1.0.0',
      zone: 'default',
      lease: { profile: 'REALTIME', intervalMs: 5_000, ttlMs: 15_000 },
      settings: {
        lease: 'REALTIME',
        startupGraceMs: 3_000,
        drainTimeoutMs: 30_000,
        maxConcurrency: 1_000,
        maxQueue: 0,
        maxTasks: 100,
      },
    });
    expect(instance.capabilities.map(({ name }) => name)).toEqual(['order_query']);
    expect([instance.maxConcurrency, instance.maxQueue, instance.maxTasks]).toEqual([1_000, 0, 100]);
  });

  it('leaves what operators set', async () => {
    const t = new TestRegistry();
    const first = await t.ready();
    const agent = t.registry.agent('shop/orders');
    if (agent === undefined) throw new Error('it is known');
    const settings = { weight: 7, paused: false, labelOverrides: { tier: 'gold' }, roles: ['clerk'] };
    t.registry.putAgent({ ...agent, settings });
    t.registry.pause(first.ref, 'user:ann', '');
    const { instance } = await t.join({ zone: 'east' }, 'inc-2');
    expect([instance.weight, instance.roles, instance.live.lifecycle]).toEqual([7, ['clerk'], 'PAUSED']);
    expect(t.registry.agent('shop/orders')?.settings).toEqual(settings);
  });
});

describe('the store', () => {
  it('remembers the new incarnation after it forgot the old one', async () => {
    const t = new TestRegistry();
    const steps: string[] = [];
    t.store.onInstance = (step) => steps.push(step);
    await t.ready({}, 'inc-1');
    await t.ready({}, 'inc-2', testLink('other'));
    expect(steps).toEqual(['remember inc-1', 'forget', 'remember inc-2']);
  });

  it('writes a new version once, however many instances bring it at once', async () => {
    const t = new TestRegistry();
    await Promise.all(['a', 'b', 'c'].map((instance) => t.join({ instance }, `inc-${instance}`, testLink(instance))));
    expect(t.store.saved).toHaveLength(1);
  });

  it('that answers after the connection closed brings nobody in', async () => {
    const t = new TestRegistry();
    const link = testLink('link');
    const joining = t.join({}, 'inc-1', link);
    link.isOpen = false;
    await expect(joining).rejects.toThrow('The connection closed while it registered.');
    expect(t.registry.instance('shop/orders/one')).toBeUndefined();
  });
});

describe('operators', () => {
  it('pause and resume, and a pause survives a new incarnation', async () => {
    const t = new TestRegistry();
    const first = await t.ready();
    t.registry.pause(first.ref, 'user:ann', '');
    expect(first.live).toMatchObject({ lifecycle: 'PAUSED', reason: 'paused by user:ann' });
    const again = testLink('again');
    const second = await t.ready({}, 'inc-2', again);
    expect(second.live.lifecycle).toBe('PAUSED');
    t.registry.goodbye(second.ref, again);
    const third = await t.ready({}, 'inc-3', testLink('third'));
    expect(third.live.lifecycle).toBe('PAUSED');
    t.registry.resume(third.ref, 'user:ann');
    expect(third.live.lifecycle).toBe('READY');
  });

  it('drain until they resume', async () => {
    const t = new TestRegistry();
    const instance = await t.ready();
    t.registry.drain(instance.ref, 'user:ann', 'upgrade of the host');
    expect(instance.live).toMatchObject({ lifecycle: 'DRAINING', reason: 'upgrade of the host' });
    t.registry.resume(instance.ref, 'user:ann');
    expect(instance.live.lifecycle).toBe('READY');
  });

  it('leave each step on record', async () => {
    const t = new TestRegistry();
    const instance = await t.ready();
    t.registry.pause(instance.ref, 'user:ann', 'holiday');
    expect(t.records.map((entry) => [entry.action, entry.actor, entry.details.reason])).toEqual([
      ['instance.STARTING', 'system', 'registered, in its startup grace'],
      ['instance.READY', 'system', 'ready'],
      ['instance.PAUSED', 'user:ann', 'holiday'],
    ]);
  });
});

describe('the history of an agent', () => {
  it('tells each step of its instances with its reason, newest first, over incarnations', async () => {
    const t = new TestRegistry();
    const link = testLink('link');
    const { ref } = await t.ready({}, 'inc-1', link);
    t.registry.drain(ref, 'user:ann', 'upgrade');
    t.registry.linkClosed(link, [ref]);
    await t.ready({}, 'inc-2', testLink('again'));
    const steps = t.registry.history('shop/orders');
    expect(steps.map(({ incarnation, from, to, reason, actor }) => [incarnation, from, to, reason, actor])).toEqual([
      ['inc-2', 'STARTING', 'READY', 'ready', 'system'],
      ['inc-2', undefined, 'STARTING', 'registered, in its startup grace', 'system'],
      ['inc-1', 'SUSPECT', 'GONE', 'another incarnation took its place', 'system'],
      ['inc-1', 'DRAINING', 'SUSPECT', 'connection closed', 'system'],
      ['inc-1', 'READY', 'DRAINING', 'upgrade', 'user:ann'],
      ['inc-1', 'STARTING', 'READY', 'ready', 'system'],
      ['inc-1', undefined, 'STARTING', 'registered, in its startup grace', 'system'],
    ]);
    expect(steps[0]).toMatchObject({ at: Date.parse('2026-01-01T00:00:00.000Z'), instance: ref, health: 'HEALTHY' });
  });

  it('keeps the latest 30, and nothing of an agent that was deleted', async () => {
    const t = new TestRegistry();
    const { ref } = await t.ready();
    for (let round = 0; round < 40; round++) {
      t.registry.pause(ref, 'user:ann', `pause ${round}`);
      t.registry.resume(ref, 'user:ann');
    }
    const steps = t.registry.history('shop/orders');
    expect([steps.length, steps[1]?.reason]).toEqual([30, 'pause 39']);
    t.registry.removeAgent('shop/orders');
    expect(t.registry.history('shop/orders')).toEqual([]);
  });
});

describe('load', () => {
  it('over 0.7 degrades after it held for 2 s, and under 0.6 heals', async () => {
    const t = new TestRegistry();
    const link = testLink('link');
    const instance = await t.ready({}, 'inc-1', link);
    t.registry.heartbeat(instance.ref, link, { busy: 0.83 });
    expect(instance.live.health).toBe('HEALTHY');
    t.pass(2250);
    expect(instance.live).toMatchObject({ health: 'DEGRADED', reason: 'utilisation 0.83 over 0.7' });
    t.registry.heartbeat(instance.ref, link, { busy: 0.65 });
    t.pass(2250);
    expect(instance.live.health).toBe('DEGRADED');
    t.registry.heartbeat(instance.ref, link, { busy: 0.1 });
    t.pass(2250);
    expect(instance.live).toMatchObject({ health: 'HEALTHY', reason: 'utilisation 0.10 back under 0.6' });
  });

  it('over 0.9 says what that means, and under it again that it is only loaded', async () => {
    const t = new TestRegistry();
    const link = testLink('link');
    const instance = await t.ready({}, 'inc-1', link);
    t.registry.heartbeat(instance.ref, link, { busy: 0.2, pool: 0.95 });
    t.pass(2250);
    expect(t.registry.instance(instance.ref)).toMatchObject({
      health: 'DEGRADED',
      reason: 'utilisation 0.95 over 0.9: saturated, gets calls only when nobody else has room',
    });
    t.registry.heartbeat(instance.ref, link, { pool: 0.8 });
    t.pass(2250);
    expect(instance.live).toMatchObject({ health: 'DEGRADED', reason: 'utilisation 0.80 over 0.7' });
  });

  it('that flaps for ten minutes changes no state and makes a bounded number of events, the last of them true', async () => {
    const t = new TestRegistry();
    const link = testLink('link');
    const instance = await t.ready({}, 'inc-1', link);
    const heard = hearing(t);
    const before = instance.changes;
    for (let beat = 0; beat < 6_000; beat++) {
      t.registry.heartbeat(instance.ref, link, { busy: beat % 2 === 0 ? 0.99 : 0.1, queueDepth: beat });
      t.clock.advance(100);
      if (beat % 3 === 0) t.registry.sweep();
    }
    t.registry.heartbeat(instance.ref, link, { busy: 0.95, queueDepth: 7 });
    t.pass(5_000);
    const events = await heard.until(({ utilisation, health }) => utilisation === 0.95 && health === 'DEGRADED');
    // Two a second, and the one change of state.
    expect(instance.changes - before).toBeGreaterThan(600);
    expect(instance.changes - before).toBeLessThanOrEqual(1_205);
    expect(events.at(-1)).toMatchObject({ utilisation: 0.95, queueDepth: 7, health: 'DEGRADED' });
    expect(t.records.filter(({ action }) => action === 'instance.DEGRADED')).toHaveLength(1);
  });

  it('that creeps up in small steps is told in the end', async () => {
    const t = new TestRegistry();
    const link = testLink('link');
    const instance = await t.ready({}, 'inc-1', link);
    const heard = hearing(t);
    for (let step = 1; step <= 6; step++) {
      t.registry.heartbeat(instance.ref, link, { busy: step / 100 });
      t.pass(1_000);
    }
    const events = await heard.until(({ utilisation }) => utilisation === 0.05);
    expect(events).toHaveLength(1);
  });

  it('of an instance that goes away in the dwell has the last word neither while it is away nor at once when it is back', async () => {
    const t = new TestRegistry();
    const link = testLink('link');
    const instance = await t.ready({}, 'inc-1', link);
    t.registry.heartbeat(instance.ref, link, { busy: 0.95 });
    t.pass(1_000);
    t.registry.linkClosed(link, [instance.ref]);
    t.pass(5_000);
    expect(instance.live).toMatchObject({ lifecycle: 'SUSPECT', health: 'OFFLINE', reason: 'connection closed' });
    await t.join({}, 'inc-1', testLink('again'));
    t.pass(1_000);
    expect(instance.live).toMatchObject({ health: 'HEALTHY', reason: 'the same process is back' });
    t.pass(1_250);
    expect(instance.live.health).toBe('DEGRADED');
  });

  it('stands beside the reason of an instance that is held back or comes back, and does not replace it', async () => {
    const t = new TestRegistry();
    const link = testLink('link');
    const instance = await t.ready({}, 'inc-1', link);
    t.registry.drain(instance.ref, 'user:ann', 'disk is full');
    t.registry.heartbeat(instance.ref, link, { busy: 0.83 });
    t.pass(2250);
    expect(instance.live).toMatchObject({
      lifecycle: 'DRAINING',
      health: 'DEGRADED',
      reason: 'disk is full; utilisation 0.83 over 0.7',
    });
    t.registry.resume(instance.ref, 'user:ann');
    expect(instance.live.reason).toBe('resumed by user:ann; utilisation 0.83 over 0.7');
    t.registry.pause(instance.ref, 'user:ann', 'holiday');
    t.registry.heartbeat(instance.ref, link, { busy: 0.1 });
    t.pass(2250);
    expect(instance.live).toMatchObject({ health: 'HEALTHY', reason: 'holiday' });
  });

  it('moves without touching the time of the last change of state', async () => {
    const t = new TestRegistry();
    const link = testLink('link');
    const instance = await t.ready({}, 'inc-1', link);
    const { changedAt } = instance;
    t.pass(3_000);
    t.registry.heartbeat(instance.ref, link, { busy: 0.3 });
    expect(instance.changedAt).toEqual(changedAt);
  });
});

describe('a restart of the server', () => {
  it('keeps known instances as SUSPECT and UNKNOWN, and those that return in time cause no OFFLINE', async () => {
    const t = new TestRegistry();
    const stored = (await t.ready()).record;
    const agent = t.registry.agent('shop/orders');
    const u = new TestRegistry();
    if (agent === undefined) throw new Error('the agent is known');
    u.registry.putAgent(agent);
    u.registry.restoreInstance(stored);
    const events = await take(u, 1);
    expect(events[0]).toMatchObject({ kind: 'Snapshot', instances: [{ lifecycle: 'SUSPECT', health: 'UNKNOWN' }] });
    const stream = u.registry.health.open({ visible: () => true });
    await stream.next();
    u.pass(10_000);
    await u.join({}, 'inc-1', testLink('link'));
    u.pass(30_000);
    const first = await stream.next();
    expect(first.value).toMatchObject({
      kind: 'Change',
      instance: { health: 'OFFLINE', reason: 'no heartbeat for 15.0 s' },
    });
    expect(u.records.map((entry) => entry.action)).toEqual(['instance.READY', 'instance.SUSPECT']);
  });

  it('reports those that do not return within one lease', async () => {
    const t = new TestRegistry();
    const stored = (await t.ready()).record;
    const agent = t.registry.agent('shop/orders');
    const u = new TestRegistry();
    if (agent === undefined) throw new Error('the agent is known');
    u.registry.putAgent(agent);
    u.registry.restoreInstance(stored);
    u.pass(15_250);
    expect(u.registry.instance('shop/orders/one')).toMatchObject({
      lifecycle: 'SUSPECT',
      health: 'OFFLINE',
      reason: 'did not come back after the server restarted',
    });
    u.pass(46_000);
    expect(u.registry.instance('shop/orders/one')).toBeUndefined();
  });
});

describe('subscribers that filter', () => {
  it('hear that a re-registration dropped the capability, of every instance of that version', async () => {
    const t = new TestRegistry();
    await t.ready({ instance: 'one' });
    await t.ready({ instance: 'two' }, 'inc-2', testLink('other'));
    const stream = t.registry.health.open({ filter: { capability: 'order_query' }, visible: () => true });
    expect((await stream.next()).value.instances).toHaveLength(2);
    const cancel = {
      name: 'order_cancel',
      description: 'Use it to cancel one order by its number.',
      inputSchema: { type: 'object' },
    };
    await t.join({ capabilities: [cancel] });
    const changes = [(await stream.next()).value, (await stream.next()).value];
    expect(changes.map(({ instance }) => [instance.instance, instance.capabilities]).sort()).toEqual([
      ['shop/orders/one', ['order_cancel']],
      ['shop/orders/two', ['order_cancel']],
    ]);
  });

  it('hear that an instance, known from before a restart, is no longer UNKNOWN', async () => {
    const t = new TestRegistry();
    const stored = (await t.ready()).record;
    const agent = t.registry.agent('shop/orders');
    if (agent === undefined) throw new Error('the agent is known');
    const u = new TestRegistry();
    u.registry.putAgent(agent);
    u.registry.restoreInstance(stored);
    const stream = u.registry.health.open({ filter: { health: ['UNKNOWN'] }, visible: () => true });
    expect((await stream.next()).value.instances).toMatchObject([{ lifecycle: 'SUSPECT', health: 'UNKNOWN' }]);
    await u.join({}, stored.incarnation);
    expect((await stream.next()).value).toMatchObject({ kind: 'Change', instance: { health: 'HEALTHY' } });
  });
});

async function take(t: TestRegistry, count: number): Promise<HealthStreamEvent[]> {
  const events: HealthStreamEvent[] = [];
  const stream = t.registry.health.open({ visible: () => true });
  for (let taken = 0; taken < count; taken++) events.push((await stream.next()).value);
  await stream.return?.();
  return events;
}

/** Reads the stream as fast as it comes, from now on. */
function hearing(t: TestRegistry) {
  const events: InstanceHealth[] = [];
  const stream = t.registry.health.open({ visible: () => true });
  return {
    /** All changes up to the first that is so. */
    async until(isLast: (instance: InstanceHealth) => boolean): Promise<readonly InstanceHealth[]> {
      for (;;) {
        const { value } = await stream.next();
        if (value.kind === 'Change') events.push(value.instance);
        const last = events.at(-1);
        if (last !== undefined && isLast(last)) return events;
      }
    },
  };
}
