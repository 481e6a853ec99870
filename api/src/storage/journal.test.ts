import {
  appendFileSync,
  closeSync,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditRecord } from '@agent-reach/sdk/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Journal, type JournalFiles, type JournalPosition } from './journal.js';
import { journalLine } from './journal-line.js';
import { parseLines } from './journal-reader.js';

const NOW = new Date('2026-03-04T05:06:07.089Z');
const now = (): Date => NOW;

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'journal-'));
});

afterEach(() => rmSync(directory, { recursive: true }));

function record(requestId: string, details: AuditRecord['details'] = {}): AuditRecord {
  return {
    occurredAt: NOW.getTime(),
    kind: 'CALL',
    namespace: 'shop',
    action: 'call',
    actor: 'agent:shop/orders',
    target: 'shop/stock',
    outcome: 'OK',
    requestId,
    details,
  };
}

/** One batch, with what its lines say. */
async function read(journal: Journal, position: JournalPosition) {
  const { lines, ...rest } = await journal.readBatch(position, Buffer.alloc(100_000));
  return { ...rest, ...parseLines(lines) };
}

/** Loads the journal as the loader does, and returns the request ids in their order. */
async function loadAll(journal: Journal): Promise<string[]> {
  const ids: string[] = [];
  for (const segment of journal.segments()) {
    for (let offset = 0, done = false; !done; ) {
      const batch = await read(journal, { segment, offset });
      ids.push(...batch.records.map(({ requestId }) => requestId ?? ''));
      done = batch.segmentDone || batch.position.offset === offset;
      offset = batch.position.offset;
      if (batch.segmentDone) await journal.removeSegment(segment);
    }
  }
  return ids;
}

test('flush writes all that was buffered with one write, before it returns', () => {
  const writes: number[] = [];
  const journal = Journal.open(directory, { now, files: counting(writes) });
  journal.append(record('a'));
  journal.append(record('b'));
  expect(writes).toEqual([]);
  journal.flush();
  journal.flush();
  expect(writes).toEqual([2]);
  journal.close();
});

test('what nobody flushes is written at the end of the tick', async () => {
  const journal = Journal.open(directory, { now });
  journal.append(record('a'));
  await new Promise((resolve) => setImmediate(resolve));
  const [segment = ''] = journal.segments();
  expect(JSON.parse(readFileSync(join(directory, segment), 'utf8'))).toEqual(record('a'));
  journal.close();
});

test('records come back in order, across segments, and are gone once loaded', async () => {
  const journal = Journal.open(directory, { now, segmentBytes: 600 });
  const ids = Array.from({ length: 20 }, (_, n) => `r${n}`);
  for (const id of ids) {
    journal.append(record(id));
    journal.flush();
  }
  journal.close();
  expect(journal.segments().length).toBeGreaterThan(3);
  expect(await loadAll(journal)).toEqual(ids);
  expect(journal.segments()).toEqual([]);
  expect(journal.status()).toEqual({ dropped: 0, alarm: undefined, bytesPending: 0 });
});

test('a segment is not done while it is written, and reading goes on from the position', async () => {
  const journal = Journal.open(directory, { now });
  journal.append(record('a'));
  journal.flush();
  const [segment = ''] = journal.segments();
  const first = await read(journal, { segment, offset: 0 });
  expect(first).toMatchObject({ records: [record('a')], segmentDone: false });
  expect(await read(journal, first.position)).toMatchObject({ records: [], position: first.position });
  expect(journal.status().bytesPending).toBe(0);
  journal.append(record('b'));
  journal.flush();
  expect(journal.status().bytesPending).toBe(first.position.offset);
  expect(await read(journal, first.position)).toMatchObject({ records: [record('b')], segmentDone: false });
  await expect(journal.removeSegment(segment)).rejects.toThrow('is still being written');
  journal.close();
});

test('lines come as the bytes that were written', async () => {
  const journal = Journal.open(directory, { now });
  for (const id of ['ä', '😀']) journal.append(record(id));
  journal.close();
  const [segment = ''] = journal.segments();
  const { lines } = await journal.readBatch({ segment, offset: 0 }, Buffer.alloc(65_536));
  expect(lines.toString()).toBe(journalLine(record('ä')) + journalLine(record('😀')));
  await expect(journal.readBatch({ segment, offset: 0 }, Buffer.alloc(65_535))).rejects.toThrow(
    'into has 65535 bytes, at least 65536 are needed',
  );
});

test('a flush that is larger than usual is written like any other', async () => {
  const writes: number[] = [];
  const journal = Journal.open(directory, { now, files: counting(writes) });
  const ids = Array.from({ length: 300 }, (_, n) => `${n}${'ä'.repeat(400)}`);
  for (const id of ids) journal.append(record(id));
  journal.close();
  expect(writes).toEqual([300]);
  expect(await loadAll(journal)).toEqual(ids);
});

test('bytes without a newline that no writer makes are passed over', async () => {
  const journal = Journal.open(directory, { now });
  journal.append(record('a'));
  journal.close();
  const [segment = ''] = journal.segments();
  appendFileSync(join(directory, segment), `${'x'.repeat(250_000)}\n${journalLine(record('b'))}`);
  expect(await loadAll(journal)).toEqual(['a', 'b']);
});

test('a restart begins a new segment and leaves the earlier ones for the loader, torn last line passed over', async () => {
  const before = Journal.open(directory, { now });
  before.append(record('a'));
  before.close();
  appendFileSync(join(directory, before.segments()[0] ?? ''), '{"occurredAt":1,"requestId":"to');

  const after = Journal.open(directory, { now: () => new Date('2020-01-01T00:00:00Z') });
  after.append(record('b'));
  after.close();
  expect(after.segments().length).toBe(2);
  expect(await loadAll(after)).toEqual(['a', 'b']);
  expect(after.segments()).toEqual([]);
});

test('damaged bytes are counted and passed over', async () => {
  const journal = Journal.open(directory, { now });
  journal.append(record('a'));
  journal.close();
  const [segment = ''] = journal.segments();
  appendFileSync(join(directory, segment), `${'\0'.repeat(100)}\n"text"\n${journalLine(record('b'))}`);
  const batch = await read(journal, { segment, offset: 0 });
  expect(batch).toMatchObject({ records: [record('a'), record('b')], damaged: 2, segmentDone: true });
});

test('at a full disk nothing throws, the loss is counted, and writing resumes by itself', async () => {
  let free = 300;
  const files = withSpace(() => free);
  const told: unknown[] = [];
  const journal = Journal.open(directory, {
    now,
    files,
    gapRecord: (alarm) => record(`${alarm.dropped} are missing`),
    onAlarm: (alarm) => told.push(['alarm', alarm]),
    onRecovered: (alarm) => told.push(['recovered', alarm]),
  });
  journal.append(record('kept'));
  journal.flush();
  free = 100;
  journal.append(record('lost 1'));
  journal.append(record('lost 2'));
  journal.flush();
  expect(journal.status()).toMatchObject({
    dropped: 2,
    alarm: { reason: 'ENOSPC: no space left on device', since: NOW, dropped: 2 },
  });
  journal.append(record('lost 3'));
  journal.flush();
  free = 10_000;
  journal.append(record('kept again'));
  journal.flush();
  expect(journal.status()).toMatchObject({ dropped: 3, alarm: undefined });
  const alarm = { reason: 'ENOSPC: no space left on device', since: NOW };
  expect(told).toEqual([
    ['alarm', { ...alarm, dropped: 2 }],
    ['recovered', { ...alarm, dropped: 3 }],
  ]);
  journal.close();
  expect(await loadAll(journal)).toEqual(['kept', '3 are missing', 'kept again']);
});

test('a directory that was deleted is an alarm, not a crash', () => {
  const journal = Journal.open(join(directory, 'journal'), { now });
  rmSync(join(directory, 'journal'), { recursive: true });
  journal.append(record('a'));
  journal.flush();
  expect(journal.status().dropped).toBe(1);
  expect(journal.status().alarm?.reason).toMatch(/^ENOENT/);
});

/** The real files, noting how many lines each write had. */
function counting(writes: number[]): JournalFiles {
  const files = withSpace(() => Number.POSITIVE_INFINITY);
  return {
    ...files,
    write: (fd, bytes, from) => {
      writes.push(bytes.toString().split('\n').length - 1);
      return files.write(fd, bytes, from);
    },
  };
}

/** The real files on a disk with `free` bytes left: a write is first cut short, then refused, as the system does it. */
function withSpace(free: () => number): JournalFiles {
  let full = false;
  return {
    open: (path) => openSync(path, 'ax'),
    write: (fd, bytes, from) => {
      const fitting = Math.min(bytes.length - from, free());
      if (full) {
        full = false;
        throw new Error('ENOSPC: no space left on device');
      }
      full = fitting < bytes.length - from;
      return writeSync(fd, bytes, from, fitting);
    },
    truncate: ftruncateSync,
    close: closeSync,
  };
}
