import { describe, expect, it } from 'vitest';
import { RecencyMap } from './recency-map.js';

/** Takes all out, the oldest first. */
function drained(map: RecencyMap<string>): (string | undefined)[] {
  const values: (string | undefined)[] = [];
  while (map.size > 0) {
    values.push(map.oldest);
    map.dropOldest();
  }
  return values;
}

function mapOf(...keys: number[]): RecencyMap<string> {
  const map = new RecencyMap<string>();
  for (const key of keys) map.set(key, `v${key}`);
  return map;
}

describe('RecencyMap', () => {
  it.each([
    ['in the order in which they were set', mapOf(1, 2, 3), ['v1', 'v2', 'v3']],
    ['with the first set again', mapOf(1, 2, 3, 1), ['v2', 'v3', 'v1']],
    ['with the middle set again', mapOf(1, 2, 3, 2), ['v1', 'v3', 'v2']],
    ['with the last set again', mapOf(1, 2, 3, 3), ['v1', 'v2', 'v3']],
    ['with the only one set again', mapOf(1, 1), ['v1']],
    ['with nothing', mapOf(), []],
  ])('gives its values %s', (_, map, expected) => {
    expect(drained(map)).toEqual(expected);
    expect(map.oldest).toBeUndefined();
  });

  it('replaces a value, and begins anew when it was emptied', () => {
    const map = mapOf(1, 2);
    map.set(1, 'other');
    expect([map.get(1), map.size]).toEqual(['other', 2]);
    drained(map);
    map.dropOldest();
    map.set(7, 'v7');
    expect([map.oldest, map.size, map.get(1)]).toEqual(['v7', 1, undefined]);
  });
});
