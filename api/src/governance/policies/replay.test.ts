import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure } from './policies.testing.js';
import type { RecentCall } from './recent-calls.js';
import { Replays } from './replay.js';
import type { ReplayJob } from './replay.messages.js';

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'agent-reach-replay-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

/** A worker that does what a test says. */
function worker(name: string, code: string): URL {
  const path = join(directory, `${name}.mjs`);
  writeFileSync(path, `import { parentPort, workerData } from 'node:worker_threads';\n${code}`);
  return pathToFileURL(path);
}

/** Answers with how many calls came in how many messages, and when the last one was decided. */
const COUNTING = `
  let calls = 0, messages = 0, since = null;
  parentPort.on('message', ({ walls, texts, last }) => {
    messages += 1;
    calls += texts.length;
    since = walls.at(-1) ?? since;
    if (last) parentPort.postMessage({ replayed: calls, unknown: messages, since, budget: workerData.budgetMs });
  });`;

const JOB: ReplayJob = { draft: 'draft', policies: [] };
const calls = (count: number, characters = 10): RecentCall[] =>
  Array.from({ length: count }, (_, wall) => ({ wall, namespace: 'shop', text: 'x'.repeat(characters) }));

describe('Replays', () => {
  it('hands all calls to a thread, in portions', async () => {
    const replays = new Replays({ worker: worker('counting', COUNTING), budgetMs: 77 });
    expect(await replays.run(JOB, calls(10_000, 400), 'user:ada')).toEqual({
      replayed: 10_000,
      unknown: 4,
      since: 9_999,
      budget: 77,
    });
    expect(await replays.run(JOB, [], 'user:ada')).toMatchObject({ replayed: 0, unknown: 1, since: null });
  });

  it('fails one replay when its worker dies, and goes on with the next', async () => {
    const dying = new Replays({ worker: worker('dying', 'process.exit(3)') });
    const error = await failure(dying.run(JOB, calls(1), 'user:ada'));
    expect([error.code, error.retryable, error.message]).toEqual([
      'INTERNAL',
      true,
      'The replay failed (the worker ended with 3); repeat it.',
    ]);
    const throwing = new Replays({ worker: worker('throwing', "throw new Error('broken')") });
    expect(await failure(throwing.run(JOB, calls(1), 'user:ada'))).toMatchObject({
      code: 'INTERNAL',
      cause: { message: 'broken' },
    });

    const onSecondTry = new Replays({
      worker: worker('once', `if (workerData.draft === 'bad') process.exit(1);${COUNTING}`),
    });
    const [bad, good] = await Promise.allSettled([
      onSecondTry.run({ ...JOB, draft: 'bad' }, calls(1), 'user:ada'),
      onSecondTry.run(JOB, calls(2), 'user:bea'),
    ]);
    expect(bad.status).toBe('rejected');
    expect(good).toMatchObject({ status: 'fulfilled', value: { replayed: 2 } });
  });

  it('fails when the worker takes more memory than it may', async () => {
    const hungry = worker('hungry', 'const all = []; for (;;) all.push(new Array(100_000).fill(all.length));');
    expect(await failure(new Replays({ worker: hungry }).run(JOB, calls(1), 'user:ada'))).toMatchObject({
      code: 'INTERNAL',
      cause: { code: 'ERR_WORKER_OUT_OF_MEMORY' },
    });
  });

  it('ends a worker that never answers', async () => {
    const hanging = new Replays({ worker: worker('hanging', 'for (;;);'), timeoutMs: 50 });
    expect(await failure(hanging.run(JOB, calls(1), 'user:ada'))).toMatchObject({
      code: 'INTERNAL',
      message: 'The replay failed (no answer within 50 ms); repeat it.',
    });
  });

  it('says so when the worker is not there', async () => {
    const error = await failure(
      new Replays({ worker: pathToFileURL(join(directory, 'none.mjs')) }).run(JOB, calls(1), 'user:ada'),
    );
    expect(error.code).toBe('INTERNAL');
  });

  it('ends when nobody waits any more, before or while it runs', async () => {
    const hanging = new Replays({ worker: worker('waiting', "parentPort.on('message', () => {});") });
    expect((await failure(hanging.run(JOB, calls(1), 'user:ada', AbortSignal.abort()))).code).toBe('CANCELLED');
    const leaving = new AbortController();
    const running = hanging.run(JOB, calls(1), 'user:ada', leaving.signal);
    leaving.abort();
    expect((await failure(running)).code).toBe('CANCELLED');
  });

  it('runs one of each person, so that nobody keeps replays from others', async () => {
    const replays = new Replays({ worker: worker('counting', COUNTING) });
    const first = replays.run(JOB, calls(1), 'user:ada');
    const second = await failure(replays.run(JOB, calls(2), 'user:ada'));
    expect([second.code, second.message]).toEqual([
      'RATE_LIMITED',
      'Your last replay has not ended; repeat this in a moment.',
    ]);
    await first;
    expect(await replays.run(JOB, calls(2), 'user:ada')).toMatchObject({ replayed: 2 });
  });

  it('runs one at a time and lets a few wait', async () => {
    const replays = new Replays({ worker: worker('counting', COUNTING), maxWaiting: 1 });
    const first = replays.run(JOB, calls(1), 'user:ada');
    const second = replays.run(JOB, calls(2), 'user:bea');
    const third = await failure(replays.run(JOB, calls(3), 'user:cy'));
    expect([third.code, third.retryAfterMs]).toEqual(['RATE_LIMITED', 2_000]);
    expect(await Promise.all([first, second])).toMatchObject([{ replayed: 1 }, { replayed: 2 }]);
    expect(await replays.run(JOB, calls(4), 'user:ada')).toMatchObject({ replayed: 4 });
  });
});
