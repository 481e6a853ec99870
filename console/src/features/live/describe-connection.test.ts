import { expect, test } from 'vitest';
import { describeConnection } from './describe-connection';

test('a stream that was heard lately is live', () => {
  expect(describeConnection({ state: { is: 'LIVE' }, lastEventAt: 95_000 }, 100_000).short).toBe('Live');
});

test('a connected stream that brings nothing says how old its data is', () => {
  expect(describeConnection({ state: { is: 'LIVE' }, lastEventAt: 80_000 }, 100_000).short).toBe('Data is 20 s old');
});

test('a lost stream counts from the last data', () => {
  const words = describeConnection({ state: { is: 'RECONNECTING', since: 97_000 }, lastEventAt: 92_000 }, 100_000);
  expect(words.short).toBe('Reconnecting · data is 8 s old');
  expect(words.tone).toBe('bad');
});
