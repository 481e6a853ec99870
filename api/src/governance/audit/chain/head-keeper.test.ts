import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openPrisma } from '../../../storage/prisma.js';
import { openTestDatabase, type TestDatabase } from '../../../storage/testing.js';
import { wipe } from '../../testing.js';
import { callRecord, storeRecords } from '../audit.testing.js';
import { HeadKeeper } from './head-keeper.js';
import { keptHeadsFile, readKeptHeads } from './kept-heads.js';

let database: TestDatabase;
let directory: string;
let file: string;
let logged: string[];

beforeAll(async () => {
  database = await openTestDatabase();
});
beforeEach(async () => {
  await wipe(database.prisma);
  directory = mkdtempSync(join(tmpdir(), 'kept-heads-'));
  file = keptHeadsFile(directory);
  logged = [];
});
afterEach(() => rmSync(directory, { recursive: true }));
afterAll(() => database.close());

const keeper = (prisma = database.prisma): HeadKeeper =>
  new HeadKeeper({
    prisma,
    file,
    now: () => new Date('2026-03-04T05:06:07.089Z'),
    log: { error: (_details, message) => void logged.push(message) },
  });

const kept = (): bigint[] => readKeptHeads(file).heads.map(({ sequence }) => sequence);

describe('HeadKeeper', () => {
  it('keeps the head where only its owner can read it, once for each that is new', async () => {
    const one = keeper();
    await one.keep();
    expect([one.hasKept, kept()]).toEqual([false, []]);
    await storeRecords(database.url, [callRecord(), callRecord()]);
    await one.keep();
    await one.keep();
    await storeRecords(database.url, [callRecord()]);
    await one.keep();
    const [link] = await database.prisma.auditLink.findMany({ orderBy: { firstSequence: 'desc' } });
    expect(readFileSync(file, 'utf8').split('\n').slice(1)).toEqual([
      `{"sequence":"3","chain":"${Buffer.from(link?.macs ?? []).toString('hex')}","at":"2026-03-04T05:06:07.089Z"}`,
      '',
    ]);
    expect(kept()).toEqual([2n, 3n]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(keeper().hasKept).toBe(true);
  });

  it('keeps it at once, each minute and at the stop', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      await storeRecords(database.url, [callRecord()]);
      const one = keeper();
      one.start();
      await vi.waitFor(() => expect(kept()).toEqual([1n]));
      await storeRecords(database.url, [callRecord()]);
      vi.advanceTimersByTime(60_000);
      await vi.waitFor(() => expect(kept()).toEqual([1n, 2n]));
      await storeRecords(database.url, [callRecord()]);
      await one.stop();
      expect(kept()).toEqual([1n, 2n, 3n]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('says at the next start that the audit was cut off, and does not overwrite what it knows', async () => {
    await storeRecords(database.url, [callRecord(), callRecord()]);
    await keeper().keep();
    await wipe(database.prisma);
    await storeRecords(database.url, [callRecord(), callRecord(), callRecord()]);
    const next = keeper();
    await next.keep();
    await next.keep();
    expect(next.fault).toBe('entry 2 is not the one of 2026-03-04T05:06:07.089Z: the audit was cut off or replaced');
    expect(logged).toEqual(['the audit was cut off or replaced']);
    expect(kept()).toEqual([2n]);
  });

  it('does nothing while the database is away, says so once, and goes on', async () => {
    const away = keeper(openPrisma('postgresql://nobody@127.0.0.1:1/none'));
    await away.keep();
    await away.keep();
    expect(logged).toEqual(['the head of the audit could not be kept']);
    expect(away.fault).toBeUndefined();
  });

  it('reads around lines that were damaged', () => {
    writeFileSync(
      file,
      `{"sequence":"7","chain":"${'ab'.repeat(32)}","at":"2026-03-04T05:06:07.089Z"}\nnonsense\n{"seq`,
    );
    expect(readKeptHeads(file)).toEqual({
      heads: [{ sequence: 7n, chain: 'ab'.repeat(32), at: '2026-03-04T05:06:07.089Z' }],
      damaged: 2,
    });
  });
});
