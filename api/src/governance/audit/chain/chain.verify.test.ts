import type { AuditRecord } from '@agent-reach/sdk/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PrismaClient } from '../../../storage/generated/client.js';
import { openPrisma } from '../../../storage/prisma.js';
import { openTestDatabase, type TestDatabase } from '../../../storage/testing.js';
import { Changes } from '../../changes.js';
import { wipe } from '../../testing.js';
import { callRecord, storeRecords, TEST_KEYS } from '../audit.testing.js';
import { beginChain } from './chain.anchors.js';
import type { ChainFault } from './chain.faults.js';
import { auditKeys } from './chain.keys.js';
import { ChainReader } from './chain.reader.js';
import { chainValueAt } from './chain.values.js';
import { type Verification, verifyChain } from './chain.verify.js';
import type { KeptHead } from './kept-heads.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
});
beforeEach(() => wipe(database.prisma));
afterAll(() => database.close());

const RECORDS = Array.from({ length: 4 }, (_, n) => callRecord({ requestId: `r${n}`, details: { n } }));

/** Sequences 1 to 4 and 7 to 10 by the loader, 5 and 6 by changes. */
async function fill(): Promise<void> {
  await storeRecords(database.url, RECORDS);
  await change('a');
  await change('b');
  await storeRecords(database.url, RECORDS);
}

function change(action: string): Promise<number> {
  const changes = new Changes(database.prisma, { auditKey: TEST_KEYS.current });
  return changes.run({ caller: 'system' }, async () => ({ action, namespace: '', target: '', result: 1 }));
}

/** Faults as `KIND first-last reason`, and what was looked at. */
async function verify(
  options: {
    readonly keptHeads?: readonly KeptHead[];
    readonly prisma?: PrismaClient;
    readonly keys?: typeof TEST_KEYS;
  } = {},
): Promise<{ readonly faults: string[]; readonly seen: Verification }> {
  const faults: ChainFault[] = [];
  const seen = await verifyChain({
    reader: new ChainReader(options.prisma ?? database.prisma),
    keys: options.keys ?? TEST_KEYS,
    keptHeads: options.keptHeads ?? [],
    onFault: (fault) => faults.push(fault),
  });
  expect(seen.faults).toBe(faults.length);
  return { faults: faults.map(({ kind, first, last, reason }) => `${kind} ${first}-${last} ${reason}`), seen };
}

const sql = (text: string): Promise<number> => database.prisma.$executeRawUnsafe(text);

async function keptHead(sequence: bigint): Promise<KeptHead> {
  const value = (await chainValueAt(database.prisma, sequence)) ?? new Uint8Array();
  return { sequence, chain: Buffer.from(value).toString('hex'), at: '2026-03-01T10:00:00.000Z' };
}

describe('a chain that nobody touched', () => {
  it('has no fault, and covers what the loader and changes stored', async () => {
    await fill();
    const { faults, seen } = await verify({ keptHeads: [await keptHead(6n), await keptHead(10n)] });
    expect(faults).toEqual([]);
    expect(seen).toEqual({
      entries: 10n,
      links: 4,
      expired: 0n,
      unchained: 0n,
      keptHeads: 2,
      head: 10n,
      faults: 0,
    });
  });

  it('has none either when it is empty', async () => {
    expect((await verify()).faults).toEqual([]);
  });

  it('is read the same whatever a session is set to, odd content included', async () => {
    const details = JSON.parse('{"zz":1.10,"a":1e20,"é":"\\u2028","n":[null,-0.0,0.1,123456789012345678]}');
    const record = callRecord({
      occurredAt: Date.parse('1999-12-31T23:59:59.999Z'),
      durationMs: 0.1 + 0.2,
      attempts: 0,
      requestId: '',
      traceId: 'ü😀\n\t"',
      details: { ...details, __proto__: 1, deep: [[[{}]]] },
    });
    await storeRecords(database.url, [record, { ...record, durationMs: 1e-300 }]);
    const options = '-c TimeZone=Asia/Kathmandu -c DateStyle=German -c extra_float_digits=-15 -c bytea_output=escape';
    const prisma = openPrisma(`${database.url}?options=${encodeURIComponent(options)}`);
    const { faults, seen } = await verify({ prisma });
    await prisma.$disconnect();
    expect([faults, seen.entries]).toEqual([[], 2n]);
  });

  it('goes over many links a stretch at a time', async () => {
    for (let n = 0; n < 100; n += 1) await storeRecords(database.url, [callRecord()]);
    expect((await verify()).seen).toMatchObject({ entries: 100n, links: 100, faults: 0 });
  });

  it('goes on under a new key, and is verified with both', async () => {
    await storeRecords(database.url, RECORDS);
    const [earlier, current] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    const rotated = auditKeys(current, earlier);
    const changes = new Changes(database.prisma, { auditKey: rotated.current });
    await changes.run({ caller: 'system' }, async () => ({ action: 'x', namespace: '', target: '', result: 1 }));
    expect((await verify({ keys: rotated })).faults).toEqual([]);
    const { id } = TEST_KEYS.current;
    expect((await verify({ keys: auditKeys(current) })).faults).toEqual([
      `WRONG_LINK 1-4 made with an unknown key (${id})`,
    ]);
  });
});

describe('a changed entry', () => {
  it.each([
    ['occurred_at', "occurred_at + interval '1 millisecond'"],
    ['recorded_at', "recorded_at - interval '1 millisecond'"],
    ['kind', "'REFUSAL'"],
    ['namespace', "'other'"],
    ['action', "'other'"],
    ['actor', "'agent:default/somebody'"],
    ['on_behalf_of', "''"],
    ['target', "'default/other'"],
    ['caller_namespace', "'x'"],
    ['capability', "'x'"],
    ['instance', "'x'"],
    ['outcome', "'DENIED'"],
    ['request_id', 'NULL'],
    ['trace_id', "'x'"],
    ['duration_ms', 'duration_ms + 1e-15'],
    ['attempts', '2'],
    ['details', `'{"n": 1.0}'`],
  ])('is found by its %s', async (column, value) => {
    await storeRecords(database.url, [
      callRecord(),
      callRecord({ requestId: 'r', durationMs: 0.5, details: { n: 1 } }),
    ]);
    await change('after');
    await sql(`UPDATE audit_entries SET ${column} = ${value} WHERE sequence = 2`);
    expect((await verify()).faults).toEqual(['CHANGED 2-2 it, or its place, is not what was stored']);
  });

  it('is found when its chain value was changed, too', async () => {
    await fill();
    await sql("UPDATE audit_entries SET outcome = 'DENIED' WHERE sequence = 5");
    await sql("UPDATE audit_links SET macs = sha256('x') WHERE first_sequence = 5");
    expect((await verify()).faults).toEqual(['CHANGED 5-6 it, or its place, is not what was stored']);
  });

  it('is found when two changed places', async () => {
    await fill();
    await sql(
      `UPDATE audit_entries SET sequence = CASE sequence WHEN 2 THEN 1002 ELSE 1003 END WHERE sequence IN (2, 3)`,
    );
    await sql(`UPDATE audit_entries SET sequence = CASE sequence WHEN 1002 THEN 3 ELSE 2 END WHERE sequence > 1000`);
    expect((await verify()).faults).toEqual(['CHANGED 2-3 it, or its place, is not what was stored']);
  });
});

describe('a missing entry', () => {
  it.each([1, 3, 5, 10])('is found at %i', async (sequence) => {
    await fill();
    await sql(`DELETE FROM audit_entries WHERE sequence = ${sequence}`);
    expect((await verify()).faults).toEqual([`MISSING ${sequence}-${sequence} the entry is gone`]);
  });

  it('is found when its part of the chain is gone, too', async () => {
    await fill();
    await sql('DELETE FROM audit_entries WHERE sequence BETWEEN 5 AND 6');
    await sql('DELETE FROM audit_links WHERE first_sequence IN (5, 6)');
    const { faults } = await verify({ keptHeads: [await keptHead(10n)] });
    expect(faults).toEqual(['MISSING 5-6 the entries and their part of the chain are gone']);
  });
});

describe('an end that was cut off', () => {
  const cut = async (): Promise<void> => {
    await sql('DELETE FROM audit_entries WHERE sequence > 6');
    await sql('DELETE FROM audit_links WHERE first_sequence > 6');
  };

  it('is found by the head in the database', async () => {
    await fill();
    await cut();
    expect((await verify()).faults).toEqual(['CUT_OFF 7-10 the head counts them, and they are gone']);
  });

  it('is found by a head that was kept elsewhere when the one in the database was set back', async () => {
    await fill();
    const keptHeads = [await keptHead(5n), await keptHead(9n), await keptHead(10n)];
    await cut();
    await sql('UPDATE audit_head SET sequence = 6, chain = (SELECT macs FROM audit_links WHERE first_sequence = 6)');
    expect((await verify()).faults).toEqual([]);
    expect((await verify({ keptHeads })).faults).toEqual([
      'CUT_OFF 7-10 at 2026-03-01T10:00:00.000Z they were there, and are gone',
    ]);
    // And when the server went on from there.
    await storeRecords(database.url, RECORDS);
    await change('c');
    expect((await verify()).faults).toEqual([]);
    expect((await verify({ keptHeads })).faults).toEqual([
      'CUT_OFF 10-10 it was the last entry at 2026-03-01T10:00:00.000Z, and was replaced',
    ]);
  });

  it('is found when everything is gone', async () => {
    await fill();
    const keptHeads = [await keptHead(10n)];
    await wipe(database.prisma);
    expect((await verify({ keptHeads })).faults).toEqual([
      'CUT_OFF 1-10 at 2026-03-01T10:00:00.000Z they were there, and are gone',
    ]);
  });
});

describe('what nobody with the key stored', () => {
  const copy = (sequence: string, where: string): Promise<number> =>
    sql(`INSERT INTO audit_entries (sequence, recorded_at, occurred_at, kind, namespace, action, actor, outcome)
         SELECT ${sequence}, recorded_at + interval '1 ms', occurred_at, kind, namespace, action, actor, outcome
           FROM audit_entries WHERE ${where}`);

  it('is found in the middle, after the end and before the beginning', async () => {
    await fill();
    await copy('sequence', 'sequence = 3');
    await copy('11', 'sequence = 3');
    await copy('-1', 'sequence = 4');
    expect((await verify()).faults).toEqual([
      'ADDED 3-3 a second entry under this sequence',
      'ADDED 11-11 2 entries after the last one',
      'ADDED 0-0 1 entries under sequences that are never given',
    ]);
  });

  it('is found when it was stored through the head, without the key', async () => {
    await fill();
    await new Changes(database.prisma).run({ caller: 'system' }, async () => ({
      action: 'forged',
      namespace: '',
      target: '',
      result: 1,
    }));
    expect((await verify()).faults).toEqual(['ADDED 11-11 1 entries outside the chain']);
    await change('honest');
    expect((await verify()).faults).toEqual(['ADDED 11-11 1 entries outside the chain']);
  });
});

describe('the chain itself', () => {
  it.each([
    ['UPDATE audit_links SET last_sequence = 3 WHERE first_sequence = 1', 'WRONG_LINK 1-3 its size is wrong'],
    [
      "UPDATE audit_links SET key_id = 'other' WHERE first_sequence = 1",
      'WRONG_LINK 1-4 made with an unknown key (other)',
    ],
    ["UPDATE audit_head SET chain = ''", 'WRONG_HEAD 10-10 its chain value is not that of the last entry'],
    ['UPDATE audit_head SET sequence = 8', 'WRONG_HEAD 8-10 the head stands before the last entry'],
    [
      'INSERT INTO audit_links SELECT 2, 3, recorded_at, key_id, macs FROM audit_links WHERE first_sequence = 1',
      'WRONG_LINK 2-3 it overlaps with what comes before it',
    ],
  ])('is found wrong after %s', async (statement, fault) => {
    await fill();
    await sql(statement);
    expect((await verify()).faults).toContain(fault);
  });
});

describe('entries from before the chain', () => {
  const old: readonly AuditRecord[] = [callRecord(), callRecord(), callRecord()];
  const storeOld = async (): Promise<void> => {
    const changes = new Changes(database.prisma);
    for (const record of old) {
      await changes.run({ caller: 'system' }, async () => ({
        action: record.action,
        namespace: '',
        target: '',
        result: 1,
      }));
    }
  };
  const begin = (hasBegun = false) =>
    beginChain(database.prisma, TEST_KEYS.current, new Date('2026-03-01T10:00:00.000Z'), hasBegun);

  it('are counted and signed for once, and the chain goes on after them', async () => {
    await storeOld();
    await begin();
    await begin();
    await storeRecords(database.url, RECORDS);
    const { faults, seen } = await verify();
    expect(faults).toEqual([]);
    expect(seen).toMatchObject({ entries: 4n, unchained: 3n, head: 7n });
  });

  it('cannot be made of entries that were in the chain', async () => {
    await fill();
    const keptHeads = [await keptHead(10n)];
    await sql('UPDATE audit_head SET chain = NULL');
    await begin();
    expect((await verify()).faults).toEqual(['WRONG_HEAD 10-10 its chain value is not that of the last entry']);
    await sql('DELETE FROM audit_links');
    await begin(true);
    expect((await verify({ keptHeads })).faults).toContain('ADDED 1-10 10 entries outside the chain');
    // Whoever removed the kept heads before the start, and put them back: they know better.
    await begin(false);
    expect((await verify({ keptHeads })).faults).toEqual([
      'CUT_OFF 10-10 it was the last entry at 2026-03-01T10:00:00.000Z, and was replaced',
    ]);
  });

  it('are not more than were there', async () => {
    await storeOld();
    await begin();
    await sql(`INSERT INTO audit_entries (sequence, recorded_at, occurred_at, kind, namespace, action, actor, outcome)
               SELECT 2, recorded_at + interval '1 ms', occurred_at, kind, namespace, action, actor, outcome
                 FROM audit_entries WHERE sequence = 1`);
    expect((await verify()).faults).toEqual(['ADDED 1-3 4 entries, and 3 were there before the chain']);
  });
});
