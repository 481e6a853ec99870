import { describe, expect, it } from 'vitest';
import { parseClientFrame, parseFindRequest } from './index.js';

describe('a find frame', () => {
  const parsed = (fields: object) => parseClientFrame(JSON.stringify({ type: 'find', id: 'f1', ...fields }));

  it('says what is looked for, and where', () => {
    expect(parsed({ text: '库存' }).kind).toBe('FRAME');
    expect(parsed({ text: 'stock', namespace: 'shop', limit: 50 }).kind).toBe('FRAME');
  });

  it.each([
    [{}, 'text', 'nothing', 'a string of 1 to 500 characters'],
    [{ text: '' }, 'text', '""', 'a string of 1 to 500 characters'],
    [{ text: 'x', limit: 51 }, 'limit', '51', 'a whole number from 1 to 50'],
    [{ text: 'x', limit: 0 }, 'limit', '0', 'a whole number from 1 to 50'],
    [{ text: 'x', namespace: '' }, 'namespace', '""', 'a string of 1 to 64 characters'],
    [{ text: 'x', caller: 'agent:a/b' }, 'caller', 'an unknown field', 'type, id, text, namespace, limit'],
  ])('is refused with its fields when it is %j', (fields, path, got, allowed) => {
    expect(parsed(fields)).toMatchObject({
      kind: 'FAULTY',
      ref: 'f1',
      error: { code: 'INVALID_FRAME', fields: [{ path, got, allowed }] },
    });
  });
});

it('a search over another way in is checked alike, and ten is the usual number', () => {
  expect(parseFindRequest({ text: 'stock' })).toEqual({ text: 'stock', namespace: undefined, limit: 10 });
  expect(() => parseFindRequest({ text: '', limit: 'many' })).toThrow(
    expect.objectContaining({
      code: 'INVALID_INPUT',
      fields: [expect.objectContaining({ path: 'text' }), expect.objectContaining({ path: 'limit', got: '"many"' })],
    }),
  );
});
