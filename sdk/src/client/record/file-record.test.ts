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
