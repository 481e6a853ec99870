import type { AuditRecord } from '@agent-reach/sdk/protocol';
import { expect } from 'vitest';
import type { TestDatabase } from '../../storage/testing.js';
import { appendStatement } from './audit.append.js';
import { appendLinked } from './audit.batch.js';
import { LoaderConnection } from './audit.connection.js';
import type { StoredAuditEntry } from './audit.entry.js';
import { auditKeys } from './chain/chain.keys.js';

export const TEST_KEYS = auditKeys(Buffer.alloc(32, 1));

/** A record for tests; what is given replaces the defaults. */
export function callRecord(overrides: Partial<AuditRecord> = {}): AuditRecord {
  return {
    occurredAt: Date.parse('2026-03-01T10:00:00.000Z'),
    kind: 'CALL',
    namespace: 'default',
    action: 'call',
    actor: 'agent:default/shop',
    target: 'default/orders',
    outcome: 'OK',
    details: {},
    ...overrides,
  };
}

/** Details that are hard to store, by what is odd about them, and how they are kept. */
export function oddDetails(): [string, AuditRecord['details'], unknown][] {
  const replaced = (bytes: unknown = expect.any(Number)) => ({
    truncated: true,
    bytes,
    sha256: bytes === null ? null : expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  const nested = (levels: number) => {
    let value: AuditRecord['details'] = {};
    for (let level = 0; level < levels; level += 1) value = { deep: value };
    return value;
  };
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  return [
    ['5 MB', { text: 'x'.repeat(5_000_000) }, replaced()],
    ['NUL', { '\0': ['a\0b'] }, { '\uFFFD': ['a\uFFFDb'] }],
    ['lone surrogates', { '\uD800': '\uDFFF😀' }, { '\uFFFD': '\uFFFD😀' }],
    ['600 levels', nested(600), replaced()],
    ['100,000 levels', nested(100_000), replaced()],
    ['a circle', circle as AuditRecord['details'], replaced(null)],
    [
      'a key that means something in JavaScript',
      JSON.parse('{"__proto__":{"a":1}}'),
      JSON.parse('{"__proto__":{"a":1}}'),
    ],
  ];
}

/** Sequences of entries as numbers, for comparisons that can be read. */
export function sequences(entries: readonly StoredAuditEntry[]): number[] {
  return entries.map((entry) => Number(entry.sequence));
}

/** An address of the same database for whose sessions the wall clock stands at a moment, as far as the audit asks it. */
export async function withClockAt({ url, prisma }: TestDatabase, moment: Date): Promise<string> {
  await prisma.$executeRaw`CREATE SCHEMA IF NOT EXISTS moved`;
  await prisma.$executeRawUnsafe(
    `CREATE OR REPLACE FUNCTION moved.clock_timestamp() RETURNS timestamptz
       LANGUAGE sql AS $$ SELECT '${moment.toISOString()}'::timestamptz $$`,
  );
  return `${url}?options=${encodeURIComponent('-c search_path=moved,pg_catalog,public')}`;
}

/** Stores records as the loader stores a batch. */
export async function storeRecords(databaseUrl: string, records: readonly AuditRecord[]): Promise<void> {
  const connection = new LoaderConnection(databaseUrl);
  try {
    await appendLinked(connection, TEST_KEYS.current, appendStatement(records, { bumpConfig: false }));
  } finally {
    await connection.close();
  }
}
