import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSealer } from '../../storage/sealing.js';
import { openTestDatabase, type TestDatabase } from '../../storage/testing.js';
import { ClaimRecords } from './claim.records.js';
import { type Claims, openClaims } from './claims.js';
import { Asked, newClaim, success, UNKNOWN } from './claims.testing.js';
import { raiseNodeEpoch } from './node-epoch.js';

const SERVER_KEY = Buffer.from('the server key of these tests, long enough');
const log = { error: () => {}, warn: () => {}, info: () => {} };

let database: TestDatabase;
let opened: Claims[] = [];
let fenced: bigint[];

beforeAll(async () => {
  database = await openTestDatabase();
});
beforeEach(async () => {
  await database.prisma.claim.deleteMany();
  fenced = [];
});
afterEach(async () => {
  await Promise.all(opened.map((one) => one.close(500)));
  opened = [];
});
afterAll(() => database.close());

/** A server starts. */
async function start() {
  const epoch = await raiseNodeEpoch(database.prisma);
  const { url: databaseUrl, prisma } = database;
  const claims = openClaims({
    databaseUrl,
    prisma,
    serverKey: SERVER_KEY,
    epoch,
    onFenced: () => fenced.push(epoch),
    log,
  });
  opened.push(claims);
  return { claims, epoch, store: claims.store, asked: new Asked(claims.store) };
}

async function rows(): Promise<string[]> {
  const found = await database.prisma.claim.findMany({ orderBy: [{ caller: 'asc' }, { requestId: 'asc' }] });
  return found.map((row) => `${row.requestId} ${row.state} ${row.dispatchId}`);
}

/** Nothing else comes: another key, asked after it, was answered. */
async function passed(asked: Asked): Promise<void> {
  await asked.finish(newClaim({ requestId: 'nobody' }), 'none', success(0));
  await asked.finish(newClaim({ requestId: 'nobody' }), 'none', success(0));
}

describe('one execution for a key', () => {
  it('gives a key to the first, and says what became of it to all others', async () => {
    const { asked, epoch } = await start();
    expect(await asked.claim(newClaim())).toEqual({ kind: 'CLAIMED' });
    expect(await asked.claim(newClaim({ dispatchId: 'd2', paramsHash: 'hash-2' }))).toEqual({
      kind: 'KNOWN',
      claim: { ...newClaim(), nodeEpoch: epoch, agent: 'shop/orders', outcome: undefined },
    });
    await asked.finish(newClaim(), 'd1', success({ order: 7 }));
    expect(await asked.claim(newClaim({ dispatchId: 'd3' }))).toEqual({
      kind: 'KNOWN',
      claim: { ...newClaim(), nodeEpoch: epoch, agent: 'shop/orders', outcome: success({ order: 7 }) },
    });
  });

  it('tells two callers with the same requestId apart', async () => {
    const { asked } = await start();
    expect(await asked.claim(newClaim())).toEqual({ kind: 'CLAIMED' });
    expect(await asked.claim(newClaim({ caller: 'agent:shop/app', dispatchId: 'd2' }))).toEqual({ kind: 'CLAIMED' });
  });

  it('gives it to one of many that come at once', async () => {
    const { asked } = await start();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => asked.claim(newClaim({ dispatchId: `d${at}` }))),
    );
    expect(answers.map((answer) => answer.kind)).toEqual(['CLAIMED', ...Array(19).fill('KNOWN')]);
    expect(await rows()).toEqual(['r1 RUNNING d0']);
  });

  it('makes ten thousand claims durable, and each outcome', async () => {
    const { asked } = await start();
    const keys = Array.from({ length: 10_000 }, (_, at) => newClaim({ requestId: `r${at}`, dispatchId: `d${at}` }));
    const answers = await Promise.all(keys.map((claim) => asked.claim(claim)));
    expect(answers.filter((answer) => answer.kind === 'CLAIMED')).toHaveLength(10_000);
    expect(await database.prisma.claim.count({ where: { state: 'RUNNING' } })).toBe(10_000);
    await Promise.all(keys.map((claim, at) => asked.finish(claim, claim.dispatchId, success(at))));
    expect(await database.prisma.claim.count({ where: { state: 'DONE' } })).toBe(10_000);
    expect(await asked.known(newClaim({ requestId: 'r4711' }))).toMatchObject({ claim: { outcome: { result: 4711 } } });
  });

  it('takes any text as requestId, and different ones for different', async () => {
    const { asked } = await start();
    const ids = ['a\0', 'a', '\ud800', '\ud801', '"a\\u0000"', '"', 'Zoë 中文 😀'];
    for (const requestId of ids) {
      expect(await asked.claim(newClaim({ requestId, incarnation: 'i\0' }))).toEqual({ kind: 'CLAIMED' });
    }
    for (const requestId of ids) {
      await asked.finish(newClaim({ requestId }), 'd1', success(requestId));
      expect(await asked.known(newClaim({ requestId }))).toMatchObject({
        claim: { requestId, incarnation: 'i\0', outcome: { result: requestId } },
      });
    }
  });
});

describe('finding', () => {
  it('says what is known of a key, and claims nothing', async () => {
    const { asked, epoch } = await start();
    expect(await asked.find(newClaim())).toBeUndefined();
    expect(await rows()).toEqual([]);
    await asked.claim(newClaim());
    const known = { ...newClaim(), nodeEpoch: epoch, agent: 'shop/orders' };
    expect(await asked.find(newClaim())).toEqual({ ...known, outcome: undefined });
    await asked.finish(newClaim(), 'd1', success({ order: 7 }));
    expect(await asked.find(newClaim())).toEqual({ ...known, outcome: success({ order: 7 }) });
    expect(await asked.find(newClaim({ caller: 'agent:shop/app' }))).toBeUndefined();
  });

  it('comes after what was to be written before, and beside what is written with it', async () => {
    const { asked, store } = await start();
    await asked.claim(newClaim({ requestId: 'taken' }));
    const answers = await Promise.all([
      asked.claim(newClaim()),
      asked.find(newClaim({ requestId: 'taken' })),
      asked.claim(newClaim({ requestId: 'taken', dispatchId: 'd2' })),
      asked.find(newClaim({ requestId: 'nobody' })),
      asked.finish(newClaim(), 'd1', success(1)),
      asked.find(newClaim()),
    ]);
    expect(answers).toMatchObject([
      { kind: 'CLAIMED' },
      { dispatchId: 'd1', outcome: undefined },
      { kind: 'KNOWN', claim: { dispatchId: 'd1' } },
      undefined,
      undefined,
      { dispatchId: 'd1', outcome: { result: 1 } },
    ]);
    store.release(newClaim({ requestId: 'taken' }), 'd1');
    expect(await asked.find(newClaim({ requestId: 'taken' }))).toBeUndefined();
  });

  it('finds nothing that is over its time', async () => {
    const { asked } = await start();
    await asked.claim(newClaim());
    await database.prisma.claim.updateMany({ data: { expiresAt: new Date(Date.now() - 1_000) } });
    expect(await asked.find(newClaim())).toBeUndefined();
  });

  it('is not told of whoever does not wait any more', async () => {
    const { asked, store } = await start();
    let found = 0;
    const leave = store.find(newClaim(), () => found++);
    leave();
    expect(store.status().waiting).toBe(0);
    const late = store.find(newClaim(), () => found++);
    await new Promise((resolve) => setImmediate(resolve));
    late();
    await passed(asked);
    late();
    expect(found).toBe(0);
  });
});

describe('outcomes', () => {
  it('are stored so that nobody can read them in the database', async () => {
    const { asked } = await start();
    await asked.claim(newClaim());
    await asked.finish(newClaim(), 'd1', success({ iban: 'DE02120300000000202051' }));
    const [row] = await database.prisma.$queryRaw<{ text: string; result: Uint8Array }[]>`
      SELECT claims::text AS text, result FROM claims`;
    expect(row?.text).toContain('agent:shop/web');
    expect(Buffer.from(row?.result ?? []).toString('latin1')).not.toContain('DE021');
  });

  it('that cannot be opened are never executed again', async () => {
    const { asked } = await start();
    await asked.claim(newClaim());
    await asked.finish(newClaim(), 'd1', success(1));
    await asked.claim(newClaim({ requestId: 'r2', dispatchId: 'd2' }));
    await asked.finish(newClaim({ requestId: 'r2' }), 'd2', success(2));
    // What belongs to another row is as good as damaged.
    await database.prisma.$executeRaw`
      UPDATE claims SET result = (SELECT result FROM claims WHERE request_id = 'r2') WHERE request_id = 'r1'`;
    expect(await asked.known(newClaim())).toMatchObject({
      kind: 'KNOWN',
      claim: { outcome: { ok: false, error: { code: 'RESULT_NOT_KEPT' }, instance: 'shop/orders/one' } },
    });
  });

  it('over 64 KiB are not kept, but known to have been', async () => {
    const { asked } = await start();
    const kept = 'x'.repeat(65_000);
    for (const [requestId, text] of [
      ['kept', kept],
      ['ascii', `${kept}${'x'.repeat(600)}`],
      ['wide', '€'.repeat(22_000)],
    ] as const) {
      await asked.claim(newClaim({ requestId }));
      await asked.finish(newClaim({ requestId }), 'd1', success(text));
    }
    expect(await asked.known(newClaim({ requestId: 'kept' }))).toMatchObject({ claim: { outcome: { result: kept } } });
    for (const requestId of ['ascii', 'wide']) {
      expect(await asked.known(newClaim({ requestId }))).toMatchObject({
        claim: { outcome: { ok: false, error: { code: 'RESULT_NOT_KEPT', retryable: false }, attempts: 1 } },
      });
    }
    expect(await rows()).toEqual(['ascii DONE d1', 'kept DONE d1', 'wide DONE d1']);
  });

  it('that are unknown are replaced by a later result of the same dispatch, and results by nothing', async () => {
    const { asked } = await start();
    await asked.claim(newClaim());
    await asked.finish(newClaim(), 'd1', UNKNOWN);
    expect(await asked.known(newClaim())).toMatchObject({ claim: { outcome: { error: { code: 'OUTCOME_UNKNOWN' } } } });
    await asked.finish(newClaim(), 'foreign', success('foreign'));
    expect(await rows()).toEqual(['r1 UNKNOWN d1']);
    await asked.finish(newClaim(), 'd1', success('late'));
    await asked.finish(newClaim(), 'd1', UNKNOWN);
    await asked.finish(newClaim(), 'd1', success('twice'));
    expect(await asked.known(newClaim())).toMatchObject({ claim: { outcome: { result: 'late' } } });
  });

  it('are in order when an unknown one and its result are written together', async () => {
    const { asked } = await start();
    await asked.claim(newClaim());
    await Promise.all([asked.finish(newClaim(), 'd1', UNKNOWN), asked.finish(newClaim(), 'd1', success('late'))]);
    expect(await asked.known(newClaim())).toMatchObject({ claim: { outcome: { result: 'late' } } });
  });
});

describe('releasing and moving', () => {
  const second = { instance: 'shop/orders/two', incarnation: 'inc-2', dispatchId: 'd2' } as const;

  it('lets the next one claim what was released, also in the same tick', async () => {
    const { asked, store } = await start();
    await asked.claim(newClaim());
    store.release(newClaim(), 'd1');
    expect(await asked.claim(newClaim({ dispatchId: 'd2' }))).toEqual({ kind: 'CLAIMED' });
    expect(await rows()).toEqual(['r1 RUNNING d2']);
  });

  it('never answers a claim that was released before its answer', async () => {
    const { asked, store } = await start();
    let answers = 0;
    // One that was not sent yet,
    store.claim(newClaim(), () => answers++);
    store.release(newClaim(), 'd1');
    expect(store.status().waiting).toBe(0);
    expect(await asked.claim(newClaim({ dispatchId: 'd2' }))).toEqual({ kind: 'CLAIMED' });
    store.release(newClaim(), 'd2');
    await passed(asked);
    // and one that is under way.
    store.claim(newClaim({ dispatchId: 'd3' }), () => answers++);
    await new Promise((resolve) => setImmediate(resolve));
    store.release(newClaim(), 'd3');
    await passed(asked);
    expect(answers).toBe(0);
    expect(await rows()).toEqual([]);
  });

  it('releases only what the dispatch holds, and nothing that has an outcome', async () => {
    const { asked, store } = await start();
    await asked.claim(newClaim());
    store.release(newClaim(), 'foreign');
    await passed(asked);
    expect(await rows()).toEqual(['r1 RUNNING d1']);
    await asked.finish(newClaim(), 'd1', UNKNOWN);
    store.release(newClaim(), 'd1');
    await passed(asked);
    expect(await rows()).toEqual(['r1 UNKNOWN d1']);
  });

  it('moves a claim to another attempt, whose outcome alone counts then', async () => {
    const { asked } = await start();
    await asked.claim(newClaim());
    await asked.move(newClaim(), second);
    await asked.finish(newClaim(), 'd1', success('late, from the first'));
    expect(await asked.known(newClaim())).toMatchObject({ claim: { ...second, outcome: undefined } });
    await asked.finish(newClaim(), 'd2', success('second'));
    expect(await asked.known(newClaim())).toMatchObject({ claim: { ...second, outcome: { result: 'second' } } });
  });

  it('releases a claim that is being moved, and never says that it was moved', async () => {
    const { asked, store } = await start();
    let moved = 0;
    for (const isSent of [false, true]) {
      await asked.claim(newClaim());
      store.move(newClaim(), second, () => moved++);
      if (isSent) await new Promise((resolve) => setImmediate(resolve));
      store.release(newClaim(), 'd2');
      await passed(asked);
      expect(await rows()).toEqual([]);
    }
    expect(moved).toBe(0);
  });

  it('does not take from a call what a release of an earlier dispatch does not mean', async () => {
    const { asked, store } = await start();
    await asked.claim(newClaim());
    const moved = asked.move(newClaim(), second);
    store.release(newClaim(), 'd1');
    await moved;
    await passed(asked);
    expect(await rows()).toEqual(['r1 RUNNING d2']);
  });

  it('does not let a call go on whose claim is gone', async () => {
    const { asked, store } = await start();
    let moved = 0;
    store.move(newClaim(), second, () => moved++);
    await passed(asked);
    expect(moved).toBe(0);
  });
});

describe('servers after each other', () => {
  it('keeps claims and outcomes over a restart, and lists what never ended', async () => {
    const first = await start();
    await first.asked.claim(newClaim({ requestId: 'done' }));
    await first.asked.finish(newClaim({ requestId: 'done' }), 'd1', success(1));
    await first.asked.claim(newClaim({ requestId: 'unknown' }));
    await first.asked.finish(newClaim({ requestId: 'unknown' }), 'd1', UNKNOWN);
    await first.asked.claim(newClaim({ requestId: 'running' }));
    await first.claims.close(500);

    const next = await start();
    const running = {
      ...newClaim({ requestId: 'running' }),
      nodeEpoch: first.epoch,
      agent: 'shop/orders',
      outcome: undefined,
    };
    expect(await next.store.unfinished()).toEqual([running]);
    await next.asked.claim(newClaim({ requestId: 'of its own' }));
    expect(await next.store.unfinished()).toEqual([running]);
    expect(await next.asked.known(newClaim({ requestId: 'running' }))).toEqual({ kind: 'KNOWN', claim: running });
    expect(await next.asked.known(newClaim({ requestId: 'done' }))).toMatchObject({ claim: { outcome: success(1) } });
    // What the instance says of it is stored by the new server.
    await next.asked.finish(running, 'd1', success('recalled'));
    expect(await next.store.unfinished()).toEqual([]);
  });

  it('lets a superseded server write nothing', async () => {
    const old = await start();
    await old.asked.claim(newClaim());
    const young = await start();
    expect(young.epoch).toBe(old.epoch + 1n);
    let done = 0;
    old.store.finish(newClaim(), 'd1', success(1), () => done++);
    old.store.move(newClaim(), { instance: 'shop/orders/two', incarnation: 'i', dispatchId: 'd2' }, () => done++);
    old.store.release(newClaim({ requestId: 'r2' }), 'd1');
    expect(await old.asked.claim(newClaim({ requestId: 'r3' }))).toEqual({ kind: 'FENCED' });
    expect(await old.asked.claim(newClaim({ requestId: 'r4' }))).toEqual({ kind: 'FENCED' });
    expect(done).toBe(0);
    expect(fenced).toEqual([old.epoch]);
    expect(old.store.status()).toEqual({ waiting: 0, failure: undefined, fenced: true });
    expect(await rows()).toEqual(['r1 RUNNING d1']);
    expect(await young.asked.claim(newClaim({ requestId: 'r3', dispatchId: 'd2' }))).toEqual({ kind: 'CLAIMED' });
  });

  it('gives a key that two servers claim at once to the newer one', async () => {
    const old = await start();
    const young = await start();
    const answers = await Promise.all([
      old.asked.claim(newClaim()),
      young.asked.claim(newClaim({ dispatchId: 'd2' })),
      old.asked.claim(newClaim({ requestId: 'r2' })),
    ]);
    expect(answers.map((answer) => answer.kind)).toEqual(['FENCED', 'CLAIMED', 'FENCED']);
    expect(await rows()).toEqual(['r1 RUNNING d2']);
  });

  it('writes what waits when it closes', async () => {
    const { claims, store } = await start();
    let done = 0;
    for (let at = 0; at < 3_000; at++) {
      store.claim(newClaim({ requestId: `r${at}` }), () => {
        store.finish(newClaim({ requestId: `r${at}` }), 'd1', success(at), () => done++);
      });
    }
    await claims.close(10_000);
    expect(done).toBe(3_000);
    expect(await database.prisma.claim.count({ where: { state: 'DONE' } })).toBe(3_000);
  });
});

describe('after 24 hours', () => {
  const age = (requestId: string) => database.prisma.$executeRaw`
    UPDATE claims SET expires_at = now() - interval '1 ms' WHERE request_id = ${requestId}`;

  it('a claim ends, counted from when it was made', async () => {
    const { asked } = await start();
    await asked.claim(newClaim());
    await asked.finish(newClaim(), 'd1', success(1));
    const [row] = await database.prisma.$queryRaw<{ seconds: number }[]>`
      SELECT extract(epoch FROM expires_at - created_at)::float8 AS seconds FROM claims`;
    expect(row?.seconds).toBeCloseTo(86_400, 2);
  });

  it('a key may be claimed anew, with nothing left of before', async () => {
    const { asked } = await start();
    await asked.claim(newClaim());
    await asked.finish(newClaim(), 'd1', success(1));
    await age('r1');
    expect(await asked.claim(newClaim({ dispatchId: 'd2', paramsHash: 'hash-2' }))).toEqual({ kind: 'CLAIMED' });
    expect(await asked.known(newClaim())).toMatchObject({
      claim: { dispatchId: 'd2', paramsHash: 'hash-2', outcome: undefined },
    });
    // The server of before does not know that its claim is over.
    await asked.finish(newClaim(), 'd1', success(1));
    expect(await rows()).toEqual(['r1 RUNNING d2']);
  });

  it('claims are deleted, all of them and no others', async () => {
    const { asked } = await start();
    await Promise.all(Array.from({ length: 2_500 }, (_, at) => asked.claim(newClaim({ requestId: `r${at}` }))));
    await database.prisma.$executeRaw`
      UPDATE claims SET expires_at = now() - interval '1 ms' WHERE request_id NOT IN ('r5', 'r6')`;
    const records = new ClaimRecords(database.prisma, createSealer(SERVER_KEY, 'claims'));
    expect(await records.deleteExpired(() => false)).toBe(0);
    expect(await records.deleteExpired()).toBe(2_498);
    expect(await rows()).toEqual(['r5 RUNNING d1', 'r6 RUNNING d1']);
  });
});
