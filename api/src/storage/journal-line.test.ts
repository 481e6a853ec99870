import type { AuditRecord } from '@agent-reach/sdk/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { journalLine, MAX_LINE_BYTES } from './journal-line.js';
import { openTestDatabase, type TestDatabase } from './testing.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
});

afterAll(() => database.close());

function line(parts: Partial<AuditRecord>): string {
  return journalLine({
    occurredAt: 1,
    kind: 'CALL',
    namespace: 'shop',
    action: 'call',
    actor: 'user:ada',
    target: 'shop/stock',
    outcome: 'OK',
    details: {},
    ...parts,
  });
}

/** What Postgres makes of the line. */
async function stored(text: string): Promise<AuditRecord> {
  const rows = await database.prisma.$queryRaw<{ entry: AuditRecord }[]>`SELECT ${text}::jsonb AS entry`;
  const [row] = rows;
  if (row === undefined) throw new Error('Postgres returned no row');
  return row.entry;
}

test('a plain record is one line of JSON', () => {
  expect(line({ requestId: 'r\n1' })).toBe(
    '{"occurredAt":1,"kind":"CALL","namespace":"shop","action":"call","actor":"user:ada","target":"shop/stock","outcome":"OK","details":{},"requestId":"r\\n1"}\n',
  );
});

test.each([
  ['NUL', 'a\0b', 'a\uFFFDb'],
  ['half of a surrogate pair', 'a\uD83Db', 'a\uFFFDb'],
  ['the other half', '\uDE00', '\uFFFD'],
  ['a whole pair', '😀', '😀'],
  ['text that looks like an escape', '\\u0000', '\\u0000'],
])('%s is safe for Postgres', async (_, given, kept) => {
  const entry = await stored(line({ capability: given, details: { [given]: [given] } }));
  expect(entry.capability).toBe(kept);
  expect(entry.details).toEqual({ [kept]: [kept] });
});

test('details that are too large are replaced by their size and hash', async () => {
  const text = line({ details: { text: 'ä'.repeat(40_000) }, requestId: 'r1' });
  expect(Buffer.byteLength(text)).toBeLessThan(MAX_LINE_BYTES);
  const entry = await stored(text);
  expect(entry.requestId).toBe('r1');
  expect(entry.details).toEqual({ truncated: true, bytes: 80_160, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
});

test('details that are too deep are replaced, and deep brackets in a text are not', async () => {
  const deep = JSON.parse(`${'['.repeat(501)}${']'.repeat(501)}`);
  expect((await stored(line({ details: { deep } }))).details).toMatchObject({ truncated: true });
  const deepest = JSON.parse(`${'['.repeat(98)}${']'.repeat(98)}`);
  expect((await stored(line({ details: { deepest } }))).details).toEqual({ deepest });
  const brackets = '["\\'.repeat(300);
  expect((await stored(line({ details: { brackets } }))).details).toEqual({ brackets });
});

test('what is too deep even for JSON.stringify keeps its size and hash', async () => {
  let deep: AuditRecord['details'] = {};
  for (let level = 0; level < 100_000; level += 1) deep = { deep };
  expect((await stored(line({ details: deep }))).details).toEqual({
    truncated: true,
    bytes: 900_134,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

test('many brackets that are not deep are kept', async () => {
  const wide = Array.from({ length: 300 }, (_, n) => [{ n }]);
  expect((await stored(line({ details: { wide } }))).details).toEqual({ wide });
});

test('details that are no JSON are replaced', async () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  const entry = await stored(line({ details: circle as AuditRecord['details'] }));
  expect(entry.details).toEqual({ truncated: true, bytes: null, sha256: null });
});

test('other fields that are too large are cut', async () => {
  const text = line({ target: 'x'.repeat(100_000) });
  expect(Buffer.byteLength(text)).toBeLessThan(MAX_LINE_BYTES);
  expect((await stored(text)).target).toBe('x'.repeat(512));
});
