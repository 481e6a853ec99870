import { describe, expect, it } from 'vitest';
import { TestClock } from '../../perceive/testing.js';
import { AnswerCache, type CacheBounds, type CachedAnswer } from './answer-cache.js';

const answer = (result: unknown, bytes = 10): CachedAnswer => ({
  result,
  bytes,
  instance: 'shop/orders/one',
  agent: 'shop/orders',
  capability: 'order_query',
});

function cacheOf(bounds: Partial<CacheBounds> = {}) {
  const clock = new TestClock();
  return { clock, cache: new AnswerCache(clock, { maxEntries: 100, maxBytes: 1_000_000, ...bounds }) };
}

describe('the age of an answer', () => {
  it('is asked when it is read, so that another limit counts at once', () => {
    const { clock, cache } = cacheOf();
    cache.put('k', answer('sent'), 60_000);
    clock.advance(4_999);
    expect(cache.fresh('k', 5_000)).toEqual(answer('sent'));
    clock.advance(1);
    expect(cache.fresh('k', 5_000)).toBeUndefined();
    expect(cache.fresh('k', 10_000)).toEqual(answer('sent'));
    expect(cache.fresh('k', 0)).toBeUndefined();
    expect(cache.stale('k', 30_000)).toEqual(answer('sent'));
    expect(cache.stale('k', 5_000)).toBeUndefined();
  });

  it('is at most what it was kept for, whoever asks for more', () => {
    const { clock, cache } = cacheOf();
    cache.put('k', answer('sent'), 1_000);
    clock.advance(1_000);
    expect(cache.fresh('k', 5_000)).toBeUndefined();
  });

  it('begins anew with another answer', () => {
    const { clock, cache } = cacheOf();
    cache.put('k', answer('packed'), 60_000);
    clock.advance(3_000);
    cache.put('k', answer('sent'), 60_000);
    clock.advance(3_000);
    expect(cache.fresh('k', 5_000)?.result).toBe('sent');
    expect([cache.size, cache.bytes]).toEqual([1, 11]);
  });
});

describe('memory', () => {
  it('holds so many answers; the one not used for longest goes first', () => {
    const { cache } = cacheOf({ maxEntries: 2 });
    cache.put('a', answer(1), 60_000);
    cache.put('b', answer(2), 60_000);
    cache.fresh('a', 60_000);
    cache.put('c', answer(3), 60_000);
    expect(['a', 'b', 'c'].map((key) => cache.fresh(key, 60_000)?.result)).toEqual([1, undefined, 3]);
  });

  it('holds so many bytes, and counts them down to zero', () => {
    const { clock, cache } = cacheOf({ maxBytes: 1_000 });
    for (let count = 0; count < 50; count++) cache.put(`k${count % 10}`, answer(count, 200), 60_000);
    expect([cache.size, cache.bytes]).toEqual([4, 808]);
    clock.advance(60_000);
    cache.expire();
    expect([cache.size, cache.bytes]).toEqual([0, 0]);
  });

  it('is freed for what is over its time, in whichever order it came', () => {
    const { clock, cache } = cacheOf();
    cache.put('long', answer(1), 60_000);
    cache.put('short', answer(2), 1_000);
    clock.advance(1_000);
    cache.expire();
    expect([cache.size, cache.fresh('long', 60_000)?.result]).toEqual([1, 1]);
  });

  it('takes no result over 1 MiB, and none that nobody could ask for', () => {
    const { cache } = cacheOf({ maxBytes: 64 * 1024 * 1024 });
    cache.put('k', answer('small'), 60_000);
    cache.put('k', answer('large', 1_048_577), 60_000);
    expect(cache.fresh('k', 60_000)?.result).toBe('small');
    cache.put('limit', answer('at the limit', 1_048_576), 60_000);
    expect(cache.fresh('limit', 60_000)?.result).toBe('at the limit');
    cache.put('none', answer('never'), 0);
    expect(cache.size).toBe(2);
  });
});
