import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ManualClock } from '../testing/manual-clock.js';
import { FileRecord } from './file-record.js';
import { MemoryRecord } from './memory-record.js';
import { openRecord } from './open-record.js';
import type { RequestEnd } from './request-record.js';
import { SharedFile } from './shared-file.js';

const HOUR = 3_600_000;
const key = (requestId: string) => ({ caller: 'app:shop/web', requestId }) as const;
const start = (requestId: string) => ({ ...key(requestId), capability: 'order_cancel' });
const end = (requestId: string, more: Partial<RequestEnd> = {}): RequestEnd => ({
  ...start(requestId),
  dispatchId: `d-${requestId}`,
  awaitsConfirmation: false,
  outcome: `{"ok":true,"result":"${requestId}"}`,
  ...more,
});

let directory: string;
let path: string;
let clock: ManualClock;
let log: string[];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'record-'));
  path = join(directory, 'deep', 'shop~order~a.jsonl');
  clock = new ManualClock();
  log = [];
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** As a process that starts. What an earlier one wrote stays as it is when that was killed. */
const open = (bounds?: ConstructorParameters<typeof FileRecord>[3]) =>
  new FileRecord(path, clock, (level, message) => log.push(`${level} ${message}`), bounds);

test('makes no file before there is something to note', () => {
  expect(open().find(key('r1'))).toBeUndefined();
  expect(existsSync(path)).toBe(false);
});

test('a second process finds what the first began and ended', () => {
  const first = open();
  expect(first.begin(start('r1'))).toBeUndefined();
  expect(first.begin(start('r2'))).toBeUndefined();
  first.end(end('r2'));
  expect(first.begin(start('r2'))).toEqual({ capability: 'order_cancel', outcome: '{"ok":true,"result":"r2"}' });
  const second = open();
  expect(second.begin(start('r1'))).toEqual({ capability: 'order_cancel', outcome: undefined });
  expect(second.find(key('r2'))).toEqual({ capability: 'order_cancel', outcome: '{"ok":true,"result":"r2"}' });
  expect(second.find({ caller: 'app:shop/other', requestId: 'r1' })).toBeUndefined();
  expect(log).toEqual([]);
});

test('only its owner can read it', () => {
  open().begin(start('r1'));
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('two processes that share the file see what the other notes, and lose none of it', () => {
  const draining = open();
  draining.begin(start('r1'));
  draining.end(end('t1', { awaitsConfirmation: true }));
  // It puts a new file in place of the one that the first writes to.
  const successor = open();
  draining.end(end('r1'));
  draining.confirmed(key('t1'));
  draining.begin(start('r2'));
  expect(successor.begin(start('r1'))).toEqual({ capability: 'order_cancel', outcome: '{"ok":true,"result":"r1"}' });
  expect(successor.find(key('r2'))).toEqual({ capability: 'order_cancel', outcome: undefined });
  expect(successor.unconfirmed()).toEqual([]);
  successor.begin(start('r3'));
  draining.end(end('r2'));
  expect(draining.find(key('r3'))).toEqual({ capability: 'order_cancel', outcome: undefined });
  const third = open();
  expect(['r1', 'r2'].map((id) => third.find(key(id))?.outcome)).toEqual([
    '{"ok":true,"result":"r1"}',
    '{"ok":true,"result":"r2"}',
  ]);
  expect([third.begin(start('r3'))?.capability, third.unconfirmed()]).toEqual(['order_cancel', []]);
  expect(readdirSync(join(directory, 'deep'))).toEqual(['shop~order~a.jsonl']);
  expect(log).toEqual([]);
});

test('what another process appends while the file is written anew is taken over', () => {
  const lines: string[] = [];
  const file = new SharedFile(join(directory, 'shared'), (line) => lines.push(line));
  const other = new SharedFile(join(directory, 'shared'), () => undefined);
  file.append('a\n');
  other.append('b\n');
  file.replace(function* () {
    yield 'a\nb\n';
    // As late as can be: the new file is nearly there.
    other.append('c\n');
  });
  other.append('d\n');
  file.append('e\n');
  expect(readFileSync(join(directory, 'shared'), 'utf8')).toBe('a\nb\nc\nd\ne\n');
  expect(lines.filter((line) => line !== '')).toEqual(['b', 'c', 'd']);
  file.close();
  other.close();
});

test('a line that another process left torn does not swallow the next one', () => {
  const record = open();
  record.begin(start('r1'));
  appendFileSync(path, '{"at":1,"caller":"app:shop/web","req');
  record.end(end('r1'));
  expect(open().find(key('r1'))?.outcome).toBe('{"ok":true,"result":"r1"}');
});

test('a last line that was torn by the end of a process hides nothing', () => {
  const first = open();
  first.end(end('r1'));
  first.begin(start('r2'));
  const whole = readFileSync(path, 'utf8');
  writeFileSync(path, whole.slice(0, -20));
  const second = open();
  expect(second.find(key('r1'))?.outcome).toBe('{"ok":true,"result":"r1"}');
  expect(second.begin(start('r2'))).toBeUndefined();
  expect(open().begin(start('r2'))).toEqual({ capability: 'order_cancel', outcome: undefined });
});

test('lines that nobody here wrote are passed over', () => {
  open().begin(start('r1'));
  appendFileSync(path, 'null\n[]\n{"caller":1}\n{"caller":"app:a/b","requestId":"r9","at":"soon"}\n');
  expect(open().find(key('r1'))).toBeDefined();
});

test('results of tasks are unconfirmed until they are confirmed, over restarts', () => {
  const first = open();
  first.end(end('t1', { awaitsConfirmation: true }));
  first.end(end('t2', { awaitsConfirmation: true, outcome: '{"ok":false,"error":{"code":"AGENT_ERROR"}}' }));
  first.confirmed(key('t1'));
  expect(open().unconfirmed()).toEqual([
    end('t2', { awaitsConfirmation: true, outcome: '{"ok":false,"error":{"code":"AGENT_ERROR"}}' }),
  ]);
  expect(open().find(key('t1'))?.outcome).toBe('{"ok":true,"result":"t1"}');
});

test('after 24 hours a request is forgotten, and gone from the file at the next start', () => {
  const first = open();
  first.end(end('r1'));
  clock.advance(23 * HOUR);
  first.end(end('r2'));
  clock.advance(2 * HOUR);
  expect(first.find(key('r1'))).toBeUndefined();
  expect(first.find(key('r2'))).toBeDefined();
  open();
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  expect(lines.map((line) => (JSON.parse(line) as { requestId: string }).requestId)).toEqual(['r2']);
});

test('the file of a process that was idle for a day may be removed: it is made anew', () => {
  const record = open();
  record.end(end('r1'));
  clock.advance(25 * HOUR);
  rmSync(path);
  record.end(end('r2'));
  expect(open().find(key('r2'))).toBeDefined();
});

test('beyond its bounds the oldest goes, but nothing that has no end, and the file stays bounded', () => {
  const bounds = { maxRequests: 100, maxOutcomes: 2_000_000 };
  const record = open(bounds);
  record.begin(start('running'));
  record.end(end('task', { awaitsConfirmation: true }));
  const outcome = JSON.stringify({ ok: true, result: 'x'.repeat(100_000) });
  for (let index = 0; index < 200; index += 1) {
    record.begin(start(`r${index}`));
    record.end(end(`r${index}`, { outcome }));
  }
  expect(statSync(path).size).toBeLessThan(10_000_000);
  const again = open(bounds);
  expect([again.find(key('r170')), again.find(key('r195'))?.outcome]).toEqual([undefined, outcome]);
  expect([again.find(key('running'))?.capability, again.unconfirmed().length]).toEqual(['order_cancel', 1]);
  expect(readdirSync(join(directory, 'deep'))).toEqual(['shop~order~a.jsonl']);
});

test('many short requests are bounded by their number', () => {
  const record = new MemoryRecord(() => clock.wall(), { maxRequests: 10, maxOutcomes: 1000 });
  for (let index = 0; index < 100; index += 1) record.end(end(`r${index}`));
  expect(record.count).toBeLessThanOrEqual(11);
  expect([record.find(key('r80')), record.find(key('r95'))?.capability]).toEqual([undefined, 'order_cancel']);
});

test('results that nobody confirms push nothing that was executed out', () => {
  const record = new MemoryRecord(() => clock.wall(), { maxRequests: 100, maxOutcomes: 10_000 });
  const outcome = JSON.stringify({ ok: true, result: 'x'.repeat(1_000) });
  for (let index = 0; index < 7; index += 1) record.end(end(`t${index}`, { awaitsConfirmation: true, outcome }));
  for (let index = 0; index < 40; index += 1) record.end(end(`r${index}`));
  expect(Array.from({ length: 40 }, (_, index) => record.find(key(`r${index}`))?.capability)).toEqual(
    new Array(40).fill('order_cancel'),
  );
  // Beyond the bounds the oldest is not told any more, but it is known all the same.
  for (let index = 7; index < 12; index += 1) record.end(end(`t${index}`, { awaitsConfirmation: true, outcome }));
  expect(record.unconfirmed().map(({ requestId }) => requestId)).toEqual([
    't3',
    't4',
    't5',
    't6',
    't7',
    't8',
    't9',
    't10',
    't11',
  ]);
  expect(record.find(key('t0'))?.outcome).toBe(outcome);
  clock.advance(25 * HOUR);
  record.end(end('last'));
  expect([record.count, record.unconfirmed().length]).toEqual([44, 0]);
});

test('when it cannot be written, that is said once, and memory serves', () => {
  writeFileSync(join(directory, 'deep'), 'a file where a directory should be');
  const record = open();
  record.begin(start('r1'));
  record.end(end('r1'));
  expect(record.begin(start('r1'))?.outcome).toBe('{"ok":true,"result":"r1"}');
  expect(log).toHaveLength(1);
  expect(log[0]).toMatch(/^error the record of executed requests cannot be kept in .*: ENOTDIR.*memory only/);
});

test('the file is named by the instance, and files of a day ago are removed, but no others', () => {
  const old = new Date(clock.wall() - 25 * HOUR);
  for (const name of ['shop~order~host-1.jsonl', 'shop~order~host-2.jsonl.77.new', 'mine.jsonl']) {
    writeFileSync(join(directory, name), '');
    utimesSync(join(directory, name), old, old);
  }
  const record = openRecord({ directory }, 'shop/order/a', { clock, log: () => undefined });
  expect(record.begin(start('r1'))).toBeUndefined();
  expect(readdirSync(directory).sort()).toEqual(['mine.jsonl', 'shop~order~a.jsonl']);
});

test('a record of your own is taken as it is, and false keeps it in memory', () => {
  const own = new MemoryRecord(() => 0);
  const host = { clock, log: () => undefined };
  expect(openRecord(own, 'shop/order/a', host)).toBe(own);
  expect(openRecord(false, 'shop/order/a', host)).toBeInstanceOf(MemoryRecord);
});
