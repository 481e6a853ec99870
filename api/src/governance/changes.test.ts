import { ReachError } from '@agent-reach/sdk/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openPrisma } from '../storage/prisma.js';
import { openTestDatabase, type TestDatabase } from '../storage/testing.js';
import { oddDetails } from './audit/audit.testing.js';
import { Changes, type CommittedChange } from './changes.js';
import { wipe } from './testing.js';

let database: TestDatabase;
let changes: Changes;

beforeAll(async () => {
  database = await openTestDatabase();
});
beforeEach(async () => {
  await wipe(database.prisma);
  changes = new Changes(database.prisma, { now: () => Date.parse('2026-03-01T10:00:00.000Z') });
});
afterAll(() => database.close());

const create = (id: string) =>
  changes.run({ caller: 'user:ann' }, async (tx) => {
    await tx.namespace.create({ data: { id } });
    return { action: 'namespace.create', namespace: id, target: id, after: { id }, result: id };
  });

async function failure(work: Promise<unknown>): Promise<ReachError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ReachError)) throw new Error(`not a ReachError: ${String(error)}`);
  return error;
}

describe('Changes', () => {
  it('stores a change and its audit entry together', async () => {
    await changes.run({ caller: 'user:ann', onBehalfOf: 'app:default/deploy' }, async (tx) => {
      await tx.namespace.create({ data: { id: 'orders', description: 'new' } });
      return {
        action: 'namespace.update',
        namespace: 'orders',
        target: 'orders',
        before: { description: 'old' },
        after: { description: 'new' },
        result: undefined,
      };
    });
    const entries = await database.prisma.auditEntry.findMany();
    expect(entries).toMatchObject([
      {
        sequence: 1n,
        kind: 'CHANGE',
        occurredAt: new Date('2026-03-01T10:00:00.000Z'),
        namespaceId: 'orders',
        action: 'namespace.update',
        actor: 'user:ann',
        onBehalfOf: 'app:default/deploy',
        target: 'orders',
        outcome: 'OK',
        details: { before: { description: 'old' }, after: { description: 'new' } },
      },
    ]);
    expect(await database.prisma.auditHead.findFirst()).toMatchObject({ sequence: 1n, configVersion: 1n });
  });

  it.each(oddDetails())('stores an entry of a change that holds %s', async (_, after) => {
    const work = async () => ({ action: 'odd', namespace: '', target: 'x'.repeat(3_000), after, result: 7 });
    expect(await changes.run({ caller: 'user:ann' }, work)).toBe(7);
    const entry = await database.prisma.auditEntry.findFirst();
    expect([entry?.action, entry?.target.length]).toEqual(['odd', 512]);
  });

  it('keeps size and hash of what is too large', async () => {
    const after = { text: 'x'.repeat(5_000_000) };
    await changes.run({ caller: 'user:ann' }, async () => ({
      action: 'a',
      namespace: '',
      target: '',
      after,
      result: 1,
    }));
    expect((await database.prisma.auditEntry.findFirst())?.details).toEqual({
      truncated: true,
      bytes: 5_000_150,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('stores neither when the work fails', async () => {
    const error = await failure(
      changes.run({ caller: 'user:ann' }, async (tx) => {
        await tx.namespace.create({ data: { id: 'orders' } });
        throw new ReachError('CONFLICT', 'no');
      }),
    );
    expect(error.code).toBe('CONFLICT');
    expect(await database.prisma.namespace.count()).toBe(0);
    expect(await database.prisma.auditEntry.count()).toBe(0);
  });

  it('gives 50 concurrent changes sequences without gaps, in the order of their recording', async () => {
    const heard: CommittedChange[] = [];
    changes.onCommitted((change) => heard.push(change));
    await Promise.all(Array.from({ length: 50 }, (_, n) => create(`n${n}`)));
    const entries = await database.prisma.auditEntry.findMany({ orderBy: { sequence: 'asc' } });
    expect(entries.map((entry) => entry.sequence)).toEqual(Array.from({ length: 50 }, (_, n) => BigInt(n + 1)));
    const times = entries.map((entry) => entry.recordedAt.getTime());
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(new Set(heard.map((change) => change.entry.sequence)).size).toBe(50);
    expect(await database.prisma.auditHead.findFirst()).toMatchObject({ sequence: 50n, configVersion: 50n });
  });

  it('never shows a sequence before a smaller one', async () => {
    const seen: bigint[][] = [];
    let done = false;
    const watching = (async () => {
      while (!done) {
        const rows = await database.prisma.auditEntry.findMany({ orderBy: { sequence: 'asc' } });
        seen.push(rows.map((row) => row.sequence));
      }
    })();
    await Promise.all(Array.from({ length: 30 }, (_, n) => create(`n${n}`)));
    done = true;
    await watching;
    for (const sequences of seen) expect(sequences).toEqual(sequences.map((_, n) => BigInt(n + 1)));
  });

  it('tells listeners what was changed, related entries after it, once it is committed', async () => {
    const heard: CommittedChange[] = [];
    changes.onCommitted((change) => heard.push(change));
    const result = await changes.run({ caller: 'system' }, async (tx) => {
      await tx.namespace.create({ data: { id: 'a' } });
      expect(heard).toEqual([]);
      const related = [{ action: 'permission.delete', namespace: 'b', target: 'rule' }];
      return { action: 'agent.delete', namespace: 'a', target: 'a/x', related, result: 7 };
    });
    expect(result).toBe(7);
    expect(heard.map(({ action, target, entry }) => [action, target, entry.sequence])).toEqual([
      ['agent.delete', 'a/x', 1n],
      ['permission.delete', 'rule', 2n],
    ]);
  });

  it('lets a listener that throws neither fail the change nor keep it from the others', async () => {
    const errors: unknown[] = [];
    const tolerant = new Changes(database.prisma, { onListenerError: (error) => errors.push(error) });
    const heard: string[] = [];
    tolerant.onCommitted(() => {
      throw new Error('listener');
    });
    tolerant.onCommitted((change) => heard.push(change.action));
    await tolerant.run({ caller: 'system' }, async () => ({ action: 'x', namespace: '', target: '', result: 1 }));
    expect(heard).toEqual(['x']);
    expect(errors).toEqual([new Error('listener')]);
  });

  it('runs the work again when two transactions were in deadlock', async () => {
    await Promise.all([create('a'), create('b')]);
    let bothHold: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      bothHold = resolve;
    });
    let holding = 0;
    const cross = (first: string, second: string) =>
      changes.run({ caller: 'system' }, async (tx) => {
        await tx.namespace.update({ where: { id: first }, data: { version: { increment: 1 } } });
        holding += 1;
        if (holding === 2) bothHold();
        await held;
        await tx.namespace.update({ where: { id: second }, data: { version: { increment: 1 } } });
        return { action: 'cross', namespace: '', target: '', result: undefined };
      });
    await Promise.all([cross('a', 'b'), cross('b', 'a')]);
    const rows = await database.prisma.namespace.findMany();
    expect(rows.map((row) => row.version)).toEqual([3, 3]);
    expect(await database.prisma.auditEntry.count({ where: { action: 'cross' } })).toBe(2);
  });

  it('says which field is taken', async () => {
    await create('orders');
    const error = await failure(create('orders'));
    expect(error.toWire()).toEqual({
      code: 'CONFLICT',
      message: 'There is a namespace with this id already.',
      retryable: false,
      fields: [{ path: 'id', got: 'the id of another namespace', allowed: 'one that no other namespace has' }],
    });
  });

  it('answers NOT_FOUND for what is missing and CONFLICT for what is in use', async () => {
    const run = (work: Parameters<typeof changes.run<undefined>>[1]) =>
      failure(changes.run({ caller: 'system' }, work));
    const nothing = { action: 'x', namespace: '', target: '', result: undefined };
    const update = await run(async (tx) => {
      await tx.namespace.update({ where: { id: 'no' }, data: { description: 'x' } });
      return nothing;
    });
    const orphan = await run(async (tx) => {
      await tx.agent.create({ data: { namespaceId: 'no', id: 'x' } });
      return nothing;
    });
    await create('a');
    await database.prisma.agent.create({ data: { namespaceId: 'a', id: 'x' } });
    const inUse = await run(async (tx) => {
      await tx.namespace.delete({ where: { id: 'a' } });
      return nothing;
    });
    expect([update.code, orphan.code, inUse.code]).toEqual(['NOT_FOUND', 'NOT_FOUND', 'CONFLICT']);
  });

  it('answers a retryable STORAGE_UNAVAILABLE while the database is away', async () => {
    const away = openPrisma('postgresql://nobody@127.0.0.1:1/none');
    const work = async () => ({ action: 'x', namespace: '', target: '', result: 1 });
    const error = await failure(new Changes(away).run({ caller: 'system' }, work));
    expect([error.code, error.retryable]).toEqual(['STORAGE_UNAVAILABLE', true]);
    await away.$disconnect();
  });

  it('says so when the connection broke in the commit, as nobody knows then whether the change stands', async () => {
    let uncertain = 0;
    const broken = new Changes({
      $transaction: async (work: (tx: unknown) => Promise<unknown>) => {
        await database.prisma.$transaction(async (tx) => work(tx));
        throw new Error('Connection terminated unexpectedly');
      },
    } as unknown as ConstructorParameters<typeof Changes>[0]);
    broken.onUncertain(() => {
      uncertain += 1;
    });
    const work = async () => ({ action: 'x', namespace: '', target: '', result: 1 });
    const error = await failure(broken.run({ caller: 'system' }, work));
    expect([error.code, uncertain]).toEqual(['STORAGE_UNAVAILABLE', 1]);
  });
});
