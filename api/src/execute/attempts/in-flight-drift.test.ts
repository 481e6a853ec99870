import { beforeEach, describe, expect, it } from 'vitest';
import type { Instance } from '../../perceive/instance.js';
import { testLink } from '../../perceive/testing.js';
import { TestExecution } from '../testing.js';

let x: TestExecution;
let instance: Instance;

beforeEach(async () => {
  x = new TestExecution();
  instance = await x.join('one', { maxConcurrency: 10 });
});

/** Reports after five seconds; returns how many calls the server counts on the instance then. */
function report(inFlight: number, queueDepth: number | undefined = 0, afterMs = 5_000): number {
  const { link } = instance;
  if (link === undefined) throw new Error('it is connected');
  x.t.clock.advance(afterMs);
  x.t.registry.heartbeat(instance.ref, link, { inFlight, queueDepth });
  return instance.live.inFlight;
}

/** Calls that the instance has accepted. */
function accepted(count: number) {
  return Array.from({ length: count }, () => {
    x.call({ timeoutMs: 300_000 });
    x.last.accept();
    return x.last;
  });
}

describe('the count of running calls', () => {
  it('is left alone while the instance reports the same', () => {
    const calls = accepted(3);
    for (let round = 0; round < 5; round++) expect(report(2, 1)).toBe(3);
    for (const call of calls) call.answer({ status: 'sent' });
    expect([report(0), x.metrics.inFlightDrift]).toEqual([0, 0]);
  });

  it('is not corrected by a report that what was just sent has not reached', () => {
    for (let round = 0; round < 5; round++) {
      x.call({ timeoutMs: 300_000 });
      expect(report(0)).toBe(1);
      x.last.accept();
      expect(report(0)).toBe(1);
      x.last.answer({ status: 'sent' });
    }
    expect(x.metrics.inFlightDrift).toBe(0);
  });

  it('holds those that go on after their call was given up, for as long as they are reported', () => {
    const running = x.call({ timeoutMs: 1_000 });
    x.last.accept();
    x.pass(1_010);
    expect(running.outcome).toMatchObject({ ok: false });
    expect([report(1), report(1), report(1)]).toEqual([0, 1, 1]);
    expect(x.metrics.inFlightDrift).toBe(1);
    accepted(2);
    expect([report(3), report(2), report(2)]).toEqual([3, 2, 2]);
  });

  it('does not let more in than the instance has places for', () => {
    expect([report(10), report(10)]).toEqual([0, 10]);
    expect(x.call().outcome).toMatchObject({ ok: false, error: { code: 'OVERLOADED' } });
    expect(report(9)).toBe(9);
    expect(x.call().outcome).toBeUndefined();
  });

  it('is not corrected by a difference that is gone with the next report', () => {
    for (let round = 0; round < 5; round++) expect([report(4), report(0)]).toEqual([0, 0]);
    expect(x.metrics.inFlightDrift).toBe(0);
  });

  it('is not corrected by reports that follow each other within a second', () => {
    for (let round = 0; round < 9; round++) expect(report(4, 0, 100)).toBe(0);
  });

  it('lets go of accepted calls that the instance has lost, whose answers still count', () => {
    const [first] = accepted(3);
    expect([report(3), report(1), report(1)]).toEqual([3, 3, 1]);
    expect(x.metrics.inFlightDrift).toBe(2);
    first?.answer({ status: 'sent' });
    expect(report(1)).toBe(1);
    for (const received of x.received.slice(1)) received.answer({ status: 'sent' });
    expect([instance.live.inFlight, x.executor.attempts.running]).toEqual([0, 0]);
  });

  it('keeps those that wait in an instance which says nothing of a queue', () => {
    accepted(3);
    for (let round = 0; round < 5; round++) {
      const { link } = instance;
      if (link === undefined) throw new Error('it is connected');
      x.t.clock.advance(5_000);
      x.t.registry.heartbeat(instance.ref, link, { inFlight: 1 });
    }
    expect(instance.live.inFlight).toBe(3);
  });

  it('is zero when the connection is lost, and never less', async () => {
    accepted(3);
    expect([report(1), report(1), report(1)]).toEqual([3, 3, 1]);
    expect([report(5), report(5)]).toEqual([1, 5]);
    const { link } = instance;
    if (link === undefined) throw new Error('it is connected');
    x.t.registry.linkClosed(link, [instance.ref]);
    expect(instance.live.inFlight).toBe(0);
    await x.t.join({ instance: 'one', maxConcurrency: 10 }, 'inc-one', testLink('again'));
    expect([report(5), report(5), report(0)]).toEqual([0, 5, 0]);
  });
});
