import { beforeEach, expect, test } from 'vitest';
import { Heartbeats } from './heartbeats.js';
import { ManualClock } from './testing/manual-clock.js';

let clock: ManualClock;
let beats: [number, string[]][];
let heartbeats: Heartbeats;

beforeEach(() => {
  clock = new ManualClock();
  beats = [];
  heartbeats = new Heartbeats(clock, {
    reports: () => [{ instance: 'n/a/1' }, { instance: 'n/b/1' }],
    send: (text) => {
      const { instances } = JSON.parse(text) as { instances: { instance: string }[] };
      return beats.push([clock.now(), instances.map((report) => report.instance)]) > 0;
    },
    onBeat: () => undefined,
  });
});

test('the beat of the connection never stretches; reports follow the interval that the server names', () => {
  heartbeats.start(5000);
  heartbeats.setInterval('n/a/1', 5000);
  heartbeats.onAnswer({ type: 'heartbeat', instances: [{ instance: 'n/a/1', intervalMs: 15_000, ttlMs: 45_000 }] });
  clock.advance(20_000);
  expect(beats).toEqual([
    [5000, []],
    [10_000, []],
    [15_000, ['n/a/1']],
    [20_000, []],
  ]);
});

test('a shorter interval that the server names by itself holds at once', () => {
  heartbeats.start(10_000);
  heartbeats.setInterval('n/a/1', 15_000);
  clock.advance(8000);
  heartbeats.onAnswer({ type: 'heartbeat', instances: [{ instance: 'n/a/1', intervalMs: 5000, ttlMs: 15_000 }] });
  clock.advance(7000);
  expect(beats).toEqual([
    [8000, ['n/a/1']],
    [13_000, ['n/a/1']],
  ]);
});

test('the beat of the connection is not put off by intervals that change all the time', () => {
  heartbeats.start(10_000);
  heartbeats.setInterval('n/a/1', 30_000);
  for (let change = 0; change < 8; change += 1) {
    clock.advance(4000);
    const intervalMs = change % 2 === 0 ? 60_000 : 30_000;
    heartbeats.onAnswer({ type: 'heartbeat', instances: [{ instance: 'n/a/1', intervalMs, ttlMs: 3 * intervalMs }] });
  }
  expect(beats.map(([at]) => at)).toEqual([10_000, 20_000, 30_000]);
});

test('an interval under the beat makes it faster', () => {
  heartbeats.start(5000);
  heartbeats.setInterval('n/a/1', 2000);
  clock.advance(4000);
  expect(beats).toEqual([
    [2000, ['n/a/1']],
    [4000, ['n/a/1']],
  ]);
});

test('a changed state is reported at once, in bounded number', () => {
  heartbeats.start(5000);
  heartbeats.setInterval('n/a/1', 5000);
  heartbeats.setInterval('n/b/1', 5000);
  clock.advance(1000);
  for (let change = 0; change < 50; change += 1) {
    heartbeats.beatSoon('n/a/1');
    clock.advance(10);
  }
  expect(beats.map(([at]) => at)).toEqual([1000, 1100, 1200, 1300, 1400, 1500]);
  expect(beats[0]).toEqual([1000, ['n/a/1']]);
});

test('nothing is sent after it was stopped', () => {
  heartbeats.start(5000);
  heartbeats.setInterval('n/a/1', 5000);
  heartbeats.beatSoon('n/a/1');
  heartbeats.stop();
  clock.advance(60_000);
  expect(beats).toEqual([]);
  expect(clock.pending).toBe(0);
});
