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
  clock.advance(1000);
  for (let change = 0; change < 50; change += 1) {
    heartbeats.beatSoon();
    clock.advance(10);
  }
  expect(beats.map(([at]) => at)).toEqual([1000, 1100, 1200, 1300, 1400, 1500]);
});

test('nothing is sent after it was stopped', () => {
  heartbeats.start(5000);
  heartbeats.setInterval('n/a/1', 5000);
  heartbeats.beatSoon();
  heartbeats.stop();
  clock.advance(60_000);
  expect(beats).toEqual([]);
  expect(clock.pending).toBe(0);
});
