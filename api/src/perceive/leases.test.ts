import type { InstanceRef } from '@agent-reach/sdk/protocol';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Instance } from './instance.js';
import { TestRegistry, testLink } from './testing.js';

const REF: InstanceRef = 'shop/orders/one';
const link = testLink('link');
let t: TestRegistry;
let instance: Instance;

beforeEach(async () => {
  t = new TestRegistry();
  instance = await t.ready({ maxConcurrency: 10 }, 'inc-1', link);
});

/** A report, and the interval and TTL that it is answered with, in seconds. */
function beat(load: { busy?: number; queueDepth?: number } = {}): [number, number] {
  const { intervalMs, ttlMs } = t.registry.heartbeat(REF, link, load);
  return [intervalMs / 1_000, ttlMs / 1_000];
}

/** Reports at the interval that was answered last, for so many seconds. */
function calmFor(seconds: number): [number, number] {
  let answer = beat();
  for (let passed = 0; passed < seconds; passed += answer[0]) {
    t.pass(answer[0] * 1_000);
    answer = beat();
  }
  return answer;
}

/** So many seconds of silence after which the lease ends, as it stands now. */
function endsAfter(): number {
  for (let passed = 0; passed < 300; passed++) {
    if (instance.live.lifecycle === 'SUSPECT') return passed;
    t.pass(1_000);
  }
  return Number.POSITIVE_INFINITY;
}

describe('the lease of a calm instance', () => {
  it('stretches in steps, interval and TTL together, up to three times', () => {
    const answers: [number, number][] = [];
    for (let passed = 0; passed < 120; passed += answers.at(-1)?.[0] ?? 0) {
      const answer = beat({ busy: 0.29 });
      if (answers.at(-1)?.[0] !== answer[0]) answers.push(answer);
      t.pass(answer[0] * 1_000);
    }
    expect(answers).toEqual([
      [5, 15],
      [10, 30],
      [15, 45],
    ]);
    expect(t.registry.instance(REF)?.lease).toEqual({ profile: 'REALTIME', intervalMs: 15_000, ttlMs: 45_000 });
  });

  it('does not stretch before the load was low for half a minute at a time', () => {
    for (let round = 0; round < 10; round++) {
      t.pass(5_000);
      expect(beat({ busy: round % 3 === 0 ? 0.3 : 0.1 })).toEqual([5, 15]);
    }
  });

  it.each([
    ['what it reports', () => beat({ busy: 0.3 })],
    ['a queue', () => beat({ queueDepth: 1 })],
    [
      'the calls that run on it',
      () => {
        instance.live.inFlight = 3;
        return beat();
      },
    ],
  ])('goes back at once by %s', (_name, busy) => {
    expect(calmFor(120)).toEqual([15, 45]);
    expect(busy()).toEqual([5, 15]);
  });

  it('goes back when calls come, and the agent is told without having asked', () => {
    calmFor(120);
    instance.live.inFlight = 3;
    t.pass(250);
    expect(t.shortened).toEqual([instance]);
    t.pass(5_000);
    expect(t.shortened).toHaveLength(1);
    expect(beat()).toEqual([5, 15]);
  });

  it('begins anew when it registers again', async () => {
    calmFor(120);
    const { lease } = await t.join({ maxConcurrency: 10 }, 'inc-1', link);
    expect(lease).toEqual({ intervalMs: 5_000, ttlMs: 15_000 });
    expect(beat()).toEqual([5, 15]);
  });
});

describe('the lease that holds', () => {
  it('is the stretched one once that was answered', () => {
    calmFor(120);
    expect(endsAfter()).toBe(45);
  });

  it('is not lost when the answer that stretched it was: the agent only reports more often', () => {
    calmFor(120);
    for (let round = 0; round < 10; round++) {
      t.pass(5_000);
      beat();
    }
    expect(instance.live.lifecycle).toBe('READY');
  });

  it('stays long until the agent can have heard of the short one', () => {
    calmFor(120);
    expect(beat({ busy: 0.5 })).toEqual([5, 15]);
    // It has not heard that, and reports as it believes it should.
    for (let round = 0; round < 4; round++) {
      t.pass(15_000);
      expect(instance.live.lifecycle).toBe('READY');
      beat();
    }
    expect(endsAfter()).toBe(45);
  });

  it('stays long after the agent was told unasked, as long as its reports do not show that it heard', () => {
    calmFor(120);
    t.pass(14_000);
    instance.live.inFlight = 5;
    t.pass(250);
    expect(t.shortened).toEqual([instance]);
    // Its report crosses the word of the server.
    t.pass(750);
    beat();
    t.pass(16_000);
    expect(instance.live.lifecycle).toBe('READY');
  });

  it('is short again once the agent keeps the short interval', () => {
    calmFor(120);
    beat({ busy: 0.5 });
    t.pass(5_000);
    beat();
    expect(endsAfter()).toBe(15);
  });

  it('stays long when a shorter one was asked for by a new registration, until its interval is kept', async () => {
    await t.join({ lease: 'STANDARD' }, 'inc-1', link);
    await t.join({ lease: 'REALTIME' }, 'inc-1', link);
    t.pass(20_000);
    expect(instance.live.lifecycle).toBe('READY');
    beat();
    t.pass(5_000);
    beat();
    expect(endsAfter()).toBe(15);
  });
});
