import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createSealer } from './sealing.js';

const KEY = Buffer.from('a server key of at least thirty-two characters');

test('what was sealed opens again, text and bytes alike, and nothing of it can be read meanwhile', () => {
  const sealer = createSealer(KEY, 'claims');
  const sealed = sealer.seal('card 4111, Zoë', 'row 1');
  expect(sealed.includes('4111')).toBe(false);
  expect(sealer.open(sealed, 'row 1').toString()).toBe('card 4111, Zoë');
  const bytes = randomBytes(100_000);
  expect(sealer.open(sealer.seal(bytes, 'row 1'), 'row 1')).toEqual(bytes);
  expect(sealer.open(sealer.seal('', 'row 1'), 'row 1')).toHaveLength(0);
});

test('it opens after a restart, with the same server key only', () => {
  const sealed = createSealer(KEY, 'claims').seal('secret', 'row 1');
  expect(createSealer(KEY, 'claims').open(sealed, 'row 1').toString()).toBe('secret');
  const other = createSealer(Buffer.from('another server key of thirty-two characters'), 'claims');
  expect(() => other.open(sealed, 'row 1')).toThrow('this was sealed with another key');
});

test('it opens for its own purpose and place only', () => {
  const sealer = createSealer(KEY, 'claims');
  const sealed = sealer.seal('secret', 'row 1');
  expect(() => sealer.open(sealed, 'row 2')).toThrow('for another place');
  expect(() => createSealer(KEY, 'webhooks').open(sealed, 'row 1')).toThrow('another key');
});

test('a changed or cut byte is found, wherever it stood', () => {
  const sealer = createSealer(KEY, 'claims');
  const sealed = sealer.seal('secret', 'row 1');
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(() => sealer.open(changed, 'row 1')).toThrow(/^this was/);
  }
  expect(() => sealer.open(sealed.subarray(0, -1), 'row 1')).toThrow('changed since');
  expect(() => sealer.open(sealed.subarray(0, 20), 'row 1')).toThrow('known format');
});

test('equal contents look different each time, in one run and in two', () => {
  const [one, other] = [createSealer(KEY, 'claims'), createSealer(KEY, 'claims')];
  const seen = new Set<string>();
  for (const sealer of [one, other]) {
    for (let at = 0; at < 500; at++) seen.add(sealer.seal('same', 'row 1').toString('hex'));
  }
  expect(seen.size).toBe(1_000);
});

test('contents of every length about a block open again, in any order', () => {
  const sealer = createSealer(KEY, 'claims');
  const contents = Array.from({ length: 50 }, (_, length) => 'x'.repeat(length));
  const sealed = contents.map((content, row) => sealer.seal(content, `row ${row}`));
  for (let row = 49; row >= 0; row--) {
    expect(sealer.open(sealed[row] ?? Buffer.alloc(0), `row ${row}`).toString()).toBe(contents[row]);
  }
});

test('no two contents share a piece of the keystream', () => {
  const sealer = createSealer(KEY, 'claims');
  const zeros = Buffer.alloc(64);
  const streams = Array.from({ length: 200 }, () => sealer.seal(zeros, 'row').subarray(17, 81));
  const blocks = streams.flatMap((stream) => [0, 16, 32, 48].map((at) => stream.subarray(at, at + 16).toString('hex')));
  expect(new Set(blocks).size).toBe(800);
});

test('what begins with another number than 2 was sealed in another format, and is told apart from what was damaged', () => {
  const sealer = createSealer(KEY, 'claims');
  const sealed = sealer.seal('secret', 'row 1');
  expect(sealed[0]).toBe(2);
  sealed[0] = 1;
  expect(() => sealer.open(sealed, 'row 1')).toThrow('this was not sealed in a known format');
});
