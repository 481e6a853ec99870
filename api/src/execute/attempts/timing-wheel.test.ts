import { describe, expect, it } from 'vitest';
import { CallbackTimer, TimingWheel } from './timing-wheel.js';

function throwIt(error: unknown): never {
  throw error;
}

describe('the timing wheel', () => {
  it('fires each timer once, never early and at most one tick late', () => {
    const wheel = new TimingWheel(0, throwIt);
    const fired = new Map<number, number>();
    let now = 0;
    for (let due = 1; due <= 20_000; due += 97) wheel.arm(new CallbackTimer(() => fired.set(due, now)), due);
    for (now = 0; now <= 21_000; now += 10) wheel.advance(now);
    expect(fired.size).toBe(207);
    for (const [due, at] of fired) {
      expect(at).toBeGreaterThanOrEqual(due);
      expect(at - due).toBeLessThan(20);
    }
    expect(wheel.armed).toBe(0);
  });

  it('does not fire what was disarmed, even by a timer of the same tick', () => {
    const wheel = new TimingWheel(0, throwIt);
    const fired: string[] = [];
    const second = new CallbackTimer(() => fired.push('second'));
    wheel.arm(second, 15);
    wheel.arm(
      new CallbackTimer(() => {
        fired.push('first');
        wheel.disarm(second);
      }),
      15,
    );
    wheel.advance(30);
    expect(fired).toEqual(['first']);
    expect(wheel.armed).toBe(0);
  });

  it('moves a timer that is armed again', () => {
    const wheel = new TimingWheel(0, throwIt);
    let fired = 0;
    const timer = new CallbackTimer(() => fired++);
    wheel.arm(timer, 10);
    wheel.arm(timer, 6000);
    wheel.advance(5000);
    expect(fired).toBe(0);
    wheel.advance(6010);
    expect(fired).toBe(1);
  });

  it('catches up after the process stood still for longer than a turn', () => {
    const wheel = new TimingWheel(0, throwIt);
    let fired = 0;
    for (let due = 100; due <= 60_000; due += 100) wheel.arm(new CallbackTimer(() => fired++), due);
    wheel.advance(60_010);
    expect(fired).toBe(600);
  });

  it('lets a timer arm itself anew while it fires', () => {
    const wheel = new TimingWheel(0, throwIt);
    let fired = 0;
    const timer: CallbackTimer = new CallbackTimer(() => {
      fired++;
      if (fired < 3) wheel.arm(timer, fired * 100);
    });
    wheel.arm(timer, 10);
    for (let now = 0; now <= 500; now += 10) wheel.advance(now);
    expect(fired).toBe(3);
  });
});
