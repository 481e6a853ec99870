import { describe, expect, it } from 'vitest';
import { canonicalJson, paramsHasher } from './canonical.js';

describe('canonical parameters', () => {
  it('do not depend on the order of keys, nor on 1 or 1.0', () => {
    expect(canonicalJson(JSON.parse('{"b":1.0,"a":{"d":2,"c":[1,2]}}'))).toBe('{"a":{"c":[1,2],"d":2},"b":1}');
  });

  it('depend on the order of lists', () => {
    expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
  });

  it('keep __proto__ as plain data', () => {
    expect(canonicalJson(JSON.parse('{"__proto__":1}'))).toBe('{"__proto__":1}');
  });
});

describe('the keyed hash', () => {
  it('is the same for equal parameters and another under another key', () => {
    const hash = paramsHasher(Buffer.alloc(32, 1));
    expect(hash({ a: 1, b: 2 })).toBe(hash({ b: 2, a: 1 }));
    expect(hash({ a: 1 })).not.toBe(hash({ a: 2 }));
    expect(hash({ a: 1 })).not.toBe(paramsHasher(Buffer.alloc(32, 2))({ a: 1 }));
  });
});
