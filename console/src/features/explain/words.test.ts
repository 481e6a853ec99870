import { expect, test } from 'vitest';
import { partsText, rolloutText, stageWord } from './words';

test('parts of a score are told with measures rounded and counts as they are', () => {
  expect(partsText({ load: 0.12345, inFlight: 3 })).toEqual(['load 0.12', 'inFlight 3']);
  expect(partsText(null)).toEqual([]);
});

test('the side of a rollout that a call falls into', () => {
  const rollout = { newest: 5, percent: 20, stable: 3 };
  expect(rolloutText(5, rollout)).toBe(
    'Version 5 is for 20 % of the calls, version 3 for the rest: this call falls into that part.',
  );
  expect(rolloutText(1, { ...rollout, stable: 0 })).toBe(
    'Version 5 is for 20 % of the calls, the rest goes as if there were no such policy: this call falls into the rest.',
  );
});

test('stages are words', () => {
  expect(stageWord('LIFECYCLE')).toBe('Lifecycle');
});
