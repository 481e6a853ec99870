import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { AuditUpkeep } from './audit.upkeep.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('works at once and every minute, and tries again after a failure', async () => {
  const done: string[] = [];
  const errors: unknown[] = [];
  let away = true;
  const upkeep = new AuditUpkeep({
    ensure: async () => {
      if (away) throw new Error('away');
      done.push('ensure');
    },
    expire: async () => done.push('expire'),
    onError: (error) => errors.push(error),
  });
  upkeep.start();
  await vi.advanceTimersByTimeAsync(0);
  // What fails keeps nothing else from being done.
  expect([done, errors]).toEqual([['expire'], [new Error('away')]]);
  away = false;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(done).toEqual(['expire', 'ensure', 'expire']);
  await upkeep.stop();
  await vi.advanceTimersByTimeAsync(120_000);
  expect([done.length, errors.length]).toEqual([3, 1]);
});
