import { expect, test } from 'vitest';
import { readCallDetails, readTransition } from './entry-details';

test('stages come in the order of the decision, whatever order they were stored in', () => {
  const { stages } = readCallDetails({ stages: { ZONE: [2, 2], TARGET: [5, 3], PERMISSION: [3, 2] } });
  expect(stages).toEqual([
    { stage: 'TARGET', entered: 5, kept: 3 },
    { stage: 'PERMISSION', entered: 3, kept: 2 },
    { stage: 'ZONE', entered: 2, kept: 2 },
  ]);
});

test('details of another shape are no error', () => {
  for (const details of [null, 7, [], { attempts: 'none', stages: [1], top: [{ score: 1 }], policy: null }]) {
    expect(readCallDetails(details)).toMatchObject({ attempts: [], stages: [], top: [] });
  }
});

test('an attempt without an ack keeps that', () => {
  const { attempts } = readCallDetails({
    attempts: [
      { instance: 'a/b/c', outcome: 'OK', startedMs: 1, decideMs: 0.2, queueMs: 0, ackMs: null, durationMs: 9 },
    ],
  });
  expect(attempts).toEqual([
    { instance: 'a/b/c', outcome: 'OK', startedMs: 1, decideMs: 0.2, queueMs: 0, ackMs: null, durationMs: 9 },
  ]);
});

test('a transition tells from where to where', () => {
  expect(readTransition({ from: 'READY', lifecycle: 'SUSPECT', health: 'OFFLINE' })).toEqual({
    from: 'READY',
    to: 'SUSPECT, OFFLINE',
  });
});
