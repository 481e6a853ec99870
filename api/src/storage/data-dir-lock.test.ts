import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { currentOwner, lockDataDir } from './data-dir-lock.js';

const STARTED = new Date('2026-03-04T05:06:07.089Z');

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'lock-'));
});

afterEach(() => {
  vi.useRealTimers();
  rmSync(directory, { recursive: true });
});

/** Rewrites the lock as if somebody else held it. */
function pretend(owner: object): void {
  const file = join(directory, 'server.lock');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), ...owner }));
}

test('a second server is refused and told who owns the directory', async () => {
  const lock = await lockDataDir(directory, STARTED);
  lock.announce({ apiUrl: 'http://127.0.0.1:4000', consoleUrl: 'http://127.0.0.1:3000' });
  await expect(lockDataDir(directory, new Date())).rejects.toMatchObject({
    code: 'CONFLICT',
    message: expect.stringMatching(
      new RegExp(
        `^${directory} is in use by the server with process id ${process.pid} on \\S+, ` +
          'started 2026-03-04T05:06:07.089Z \\(API at http://127.0.0.1:4000\\)\\. Stop that server, or ',
      ),
    ),
  });
  expect(currentOwner(directory)).toMatchObject({ pid: process.pid, consoleUrl: 'http://127.0.0.1:3000' });
  lock.release();
  expect(currentOwner(directory)).toBeUndefined();
  expect(readdirSync(directory)).toEqual([]);
});

test('of many that start at once exactly one gets the directory, a stale lock or not', async () => {
  await lockDataDir(directory, STARTED);
  pretend({ startMark: 'of a process that is long gone' });
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => lockDataDir(directory, STARTED)));
  const held = results.filter((result) => result.status === 'fulfilled');
  expect(held.length).toBe(1);
  held[0]?.value.release();
});

test('the lock of a killed process is replaced', async () => {
  const sleeper = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await lockDataDir(directory, STARTED);
  pretend({ pid: sleeper.pid, startMark: undefined });
  expect(currentOwner(directory)?.pid).toBe(sleeper.pid);
  sleeper.kill('SIGKILL');
  await once(sleeper, 'exit');
  expect(currentOwner(directory)).toBeUndefined();
  (await lockDataDir(directory, STARTED)).release();
});

test('a process id that was given to another process does not hold the directory', async () => {
  await lockDataDir(directory, STARTED);
  pretend({ startMark: '1' });
  expect(currentOwner(directory)).toBeUndefined();
  (await lockDataDir(directory, STARTED)).release();
});

test('an owner in another container counts while its lock is touched', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const lock = await lockDataDir(directory, STARTED);
  pretend({ space: 'another container', pid: 1, hostname: 'web-1' });
  const beats = setTimeout(() => vi.advanceTimersByTime(1000), 500);
  await expect(lockDataDir(directory, STARTED)).rejects.toThrow('process id 1 on web-1');
  clearTimeout(beats);
  lock.release();
});

test('an empty lock file, left by a crash of the machine, holds nothing', async () => {
  writeFileSync(join(directory, 'server.lock'), '');
  (await lockDataDir(directory, STARTED)).release();
});
