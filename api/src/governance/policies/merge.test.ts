import { describe, expect, it } from 'vitest';
import { mergeJson } from './merge.js';

describe('mergeJson', () => {
  it.each([
    [{ a: 1, b: 2 }, { b: 3 }, { a: 1, b: 3 }],
    [{ a: { b: 1, c: 2 } }, { a: { c: 3 } }, { a: { b: 1, c: 3 } }],
    [{ a: [1, 2] }, { a: [3] }, { a: [3] }],
    [{ a: { b: 1 } }, { a: null }, {}],
    [{ a: 1 }, { a: { b: 1 } }, { a: { b: 1 } }],
    [{ a: 1 }, {}, { a: 1 }],
  ])('%j with %j is %j', (before, patch, after) => {
    expect(mergeJson(before, patch)).toEqual(after);
  });

  it('takes __proto__ for plain data', () => {
    const merged = mergeJson({ a: 1 }, JSON.parse('{"__proto__": {"polluted": true}}'));
    expect(JSON.stringify(merged)).toBe('{"a":1,"__proto__":{"polluted":true}}');
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});
