import { expect, test } from 'vitest';
import { ManualClock } from './testing/manual-clock.js';
import { TimingWheel } from './wheel.js';

test('runs an entry at its time or up to a step later, never earlier', () => {
  const clock = new ManualClock();
  const wheel = new TimingWheel(clock, 50);
  const ran: number[] = [];
  wheel.add(120, () => ran.push(clock.now()));
  clock.advance(119);
  expect(ran).toEqual([]);
  clock.advance(51);
  expect(ran).toEqual([150]);
});

test('does not run what was removed, and ticks only while something is pending', () => {
  const clock = new ManualClock();
  const wheel = new TimingWheel(clock, 50);
  let runs = 0;
  const entry = wheel.add(100, () => {
    runs += 1;
  });
  wheel.remove(entry);
  wheel.remove(entry);
  clock.advance(1000);
  expect(runs).toBe(0);
  expect(clock.pending).toBe(0);
  wheel.add(100, () => {
    runs += 1;
  });
  clock.advance(100);
  expect(runs).toBe(1);
  expect(clock.pending).toBe(0);
});

test('an entry may add another while it runs', () => {
  const clock = new ManualClock();
  const wheel = new TimingWheel(clock, 50);
  const ran: number[] = [];
  wheel.add(50, () => {
    ran.push(clock.now());
    wheel.add(50, () => ran.push(clock.now()));
  });
  clock.advance(500);
  expect(ran).toEqual([50, 100]);
});
