import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openLog } from './log.js';
import { RotatingFile } from './rotating-file.js';

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'log-'));
});

afterEach(() => rmSync(dataDir, { recursive: true }));

function screen(isTTY: boolean): { isTTY: boolean; lines: string[]; write(text: string): void } {
  const lines: string[] = [];
  return { isTTY, lines, write: (text) => void lines.push(text) };
}

test('outside a terminal each line is JSON on the one stream', () => {
  const stderr = screen(false);
  const { log, close } = openLog({ logLevel: 'info', dataDir }, stderr);
  log.child({ requestId: 'r1' }).info({ agent: 'shop/stock' }, 'call done');
  log.debug('not written');
  close();
  expect(stderr.lines.map((line) => JSON.parse(line))).toEqual([
    {
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      requestId: 'r1',
      agent: 'shop/stock',
      msg: 'call done',
    },
  ]);
});

test('in a terminal all goes to a file, and warnings are shown in short', () => {
  const stderr = screen(true);
  const { log, file = '', close } = openLog({ logLevel: 'info', dataDir }, stderr);
  log.info('ready');
  log.warn({ reason: 'connection refused' }, 'Postgres is away');
  log.error({ err: new Error('no such file') }, 'failed');
  close();
  expect(stderr.lines.map((line) => line.slice(11))).toEqual([
    'WARN Postgres is away: connection refused\n',
    'ERROR failed: no such file\n',
  ]);
  expect(file).toBe(join(dataDir, 'logs/reach.log'));
  const written = readFileSync(file, 'utf8').trimEnd().split('\n');
  expect(written.map((line) => JSON.parse(line).msg)).toEqual(['ready', 'Postgres is away', 'failed']);
});

test('secrets that slip into a line are not written', () => {
  const stderr = screen(false);
  const { log, close } = openLog({ logLevel: 'info', dataDir }, stderr);
  log.info(
    { token: 'secret-1', headers: { authorization: 'secret-2', cookie: 'secret-3' }, user: { password: 'secret-4' } },
    'sign-in',
  );
  close();
  expect(stderr.lines.join('')).toContain('sign-in');
  expect(stderr.lines.join('')).not.toContain('secret');
});

test('a log file that has grown is put aside, and the one before it goes', () => {
  const path = join(dataDir, 'a/b.log');
  const file = new RotatingFile(path, 10);
  for (const line of ['first line\n', 'second line\n', 'third line\n']) file.write(line);
  file.close();
  expect(readFileSync(path, 'utf8')).toBe('third line\n');
  expect(readFileSync(`${path}.1`, 'utf8')).toBe('second line\n');
});
