import { createHmac } from 'node:crypto';
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
  it.each([16, 32, 64, 100])('is HMAC-SHA-256 under a key of %i bytes', (bytes) => {
    const key = Buffer.alloc(bytes, 7);
    for (const params of [{}, { text: 'ä'.repeat(1000) }, { a: [1, { b: null }] }]) {
      expect(paramsHasher(key)(params)).toBe(
        createHmac('sha256', key).update(canonicalJson(params)).digest('base64url'),
      );
    }
  });
});
