import { describe, expect, it } from 'vitest';
import { validatePolicyContent } from './policy-validation.js';

const pathsOf = (input: unknown): string[] => validatePolicyContent(input).faults.map(({ path }) => path);

describe('rateLimit', () => {
  it('is null unless it is given', () => {
    expect(validatePolicyContent({ rateLimit: null }).content?.rateLimit).toBeNull();
    expect(validatePolicyContent({ rateLimit: { calls: 3, windowMs: 60_000 } }).content?.rateLimit).toEqual({
      calls: 3,
      windowMs: 60_000,
    });
  });

  it.each([
    [{}, ['content.rateLimit.calls', 'content.rateLimit.windowMs']],
    [{ calls: 3 }, ['content.rateLimit.windowMs']],
    [{ calls: 3, windowMs: null }, ['content.rateLimit.windowMs']],
    [{ calls: 0, windowMs: 1_000 }, ['content.rateLimit.calls']],
    [{ calls: 100_001, windowMs: 1_000 }, ['content.rateLimit.calls']],
    [{ calls: 1, windowMs: 999 }, ['content.rateLimit.windowMs']],
    [{ calls: 1, windowMs: 86_400_001 }, ['content.rateLimit.windowMs']],
    [{ calls: 1.5, windowMs: Number.NaN }, ['content.rateLimit.calls', 'content.rateLimit.windowMs']],
    [{ calls: 1, windowMs: 1_000, burst: 2 }, ['content.rateLimit.burst']],
    [[], ['content.rateLimit']],
    [3, ['content.rateLimit']],
  ])('refuses %j', (rateLimit, paths) => {
    expect(pathsOf({ rateLimit })).toEqual(paths);
  });

  it.each([
    [1, 1_000],
    [100_000, 86_400_000],
  ])('takes %s calls in %s ms', (calls, windowMs) => {
    expect(pathsOf({ rateLimit: { calls, windowMs } })).toEqual([]);
  });
});

describe('queue', () => {
  it('is null unless it is given', () => {
    expect(validatePolicyContent({}).content?.queue).toBeNull();
    expect(validatePolicyContent({ queue: { maxLength: 10_000, maxWaitMs: 60_000 } }).content?.queue).toEqual({
      maxLength: 10_000,
      maxWaitMs: 60_000,
    });
  });

  it.each([
    [{}, ['content.queue.maxLength', 'content.queue.maxWaitMs']],
    [{ maxLength: 0, maxWaitMs: 1 }, ['content.queue.maxLength']],
    [{ maxLength: 10_001, maxWaitMs: 1 }, ['content.queue.maxLength']],
    [{ maxLength: 1, maxWaitMs: 0 }, ['content.queue.maxWaitMs']],
    [{ maxLength: 1, maxWaitMs: 60_001 }, ['content.queue.maxWaitMs']],
    [{ maxLength: 1, maxWaitMs: 1, order: 'LIFO' }, ['content.queue.order']],
    ['long', ['content.queue']],
  ])('refuses %j', (queue, paths) => {
    expect(pathsOf({ queue })).toEqual(paths);
  });
});

describe('cacheTtlMs', () => {
  it.each([
    [null, []],
    [0, []],
    [86_400_000, []],
    [-1, ['content.cacheTtlMs']],
    [86_400_001, ['content.cacheTtlMs']],
  ])('%s', (cacheTtlMs, paths) => {
    expect(pathsOf({ cacheTtlMs })).toEqual(paths);
  });
});
