import { expect, test } from 'vitest';
import { spansOf } from './attempt-spans';

const attempt = { instance: 'orders/desk/i-1', outcome: 'OK' };

test('waiting and deciding come before the dispatch, the agent after the ack', () => {
  expect(spansOf({ ...attempt, startedMs: 300, decideMs: 2, queueMs: 250, ackMs: 5, durationMs: 40 })).toEqual([
    { kind: 'queue', fromMs: 48, toMs: 298 },
    { kind: 'decide', fromMs: 298, toMs: 300 },
    { kind: 'network', fromMs: 300, toMs: 305 },
    { kind: 'agent', fromMs: 305, toMs: 340 },
  ]);
});

test('without an ack all of it counts as the agent', () => {
  expect(spansOf({ ...attempt, startedMs: 1, decideMs: 1, queueMs: 0, ackMs: null, durationMs: 9 })).toEqual([
    { kind: 'decide', fromMs: 0, toMs: 1 },
    { kind: 'agent', fromMs: 1, toMs: 10 },
  ]);
});
