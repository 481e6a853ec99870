import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../storage/testing.js';
import { callRecord, storeRecords, withClockAt } from './audit.testing.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

it('records at times that grow with the sequence, though the clock is set back by a second', async () => {
  const noon = Date.parse(`${new Date().toISOString().slice(0, 10)}T12:00:00.000Z`);
  const HOUR_MS = 3_600_000;
  for (const offsetMs of [0, -1_000, 500, -HOUR_MS + 500, -HOUR_MS - 500]) {
    await storeRecords(await withClockAt(database, new Date(noon + offsetMs)), [callRecord()]);
  }
  const entries = await database.prisma.auditEntry.findMany({ orderBy: { sequence: 'asc' } });
  // A step of more than an hour is a correction, and heeded.
  expect(entries.map(({ recordedAt }) => recordedAt.getTime() - noon)).toEqual([0, 0, 500, 500, -HOUR_MS - 500]);
});
