import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { jsonDigest } from './json-digest.js';

test.each([[{}], [[]], [{ a: [1, 'ä', null, true, undefined], b: { c: {}, gone: undefined }, '"': 1e21 }], ['text']])(
  '%j has the size and the hash of its JSON',
  (value) => {
    const text = JSON.stringify(value);
    expect(jsonDigest(value)).toEqual({
      bytes: Buffer.byteLength(text),
      sha256: createHash('sha256').update(text).digest('hex'),
    });
  },
);

test('depth does not matter', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 200_000; level += 1) deep = [deep];
  const text = `${'['.repeat(200_000)}1${']'.repeat(200_000)}`;
  expect(jsonDigest(deep)).toEqual({ bytes: 400_001, sha256: createHash('sha256').update(text).digest('hex') });
});

test('one thing in two places is no circle', () => {
  const shared = { a: 1 };
  expect(jsonDigest([shared, shared])?.bytes).toBe(17);
  const circle: unknown[] = [];
  circle.push([circle]);
  expect(jsonDigest(circle)).toBeUndefined();
  expect(jsonDigest({ n: 1n })).toBeUndefined();
});
