import type { AuditRecord } from '@agent-reach/sdk/protocol';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '../../storage/testing.js';
import type { Scope } from '../access/principal.js';
import { Changes } from '../changes.js';
import { wipe } from '../testing.js';
import { type AppendAnswer, appendStatement } from './audit.append.js';
import type { CommittedEntries } from './audit.batch.js';
import { storedEntry } from './audit.entry.js';
import { AuditFeed, type AuditFeedEvent } from './audit.feed.js';
import { AuditStore } from './audit.store.js';
import { callRecord, sequences } from './audit.testing.js';

const ALL: Scope = { all: true };
let database: TestDatabase;
let store: AuditStore;
let feed: AuditFeed;

beforeAll(async () => {
  database = await openTestDatabase();
});
beforeEach(async () => {
  await wipe(database.prisma);
  store = new AuditStore(database.prisma);
  feed = new AuditFeed({ store });
});
afterEach(() => feed.close());
afterAll(() => database.close());

async function commit(...records: AuditRecord[]): Promise<CommittedEntries> {
  const [answer] = await database.prisma.$queryRaw<AppendAnswer[]>(appendStatement(records, { bumpConfig: false }));
  if (answer === undefined) throw new Error('nothing was appended');
  const first = answer.sequence - BigInt(records.length) + 1n;
  const entries = records.map((record, n) => storedEntry(record, first + BigInt(n), answer.recordedAt));
  return { first, last: answer.sequence, entries: () => entries };
}

async function publish(...records: AuditRecord[]): Promise<void> {
  feed.committed(await commit(...records));
}

type Stream = AsyncIterableIterator<AuditFeedEvent>;

async function next(stream: Stream): Promise<AuditFeedEvent> {
  const { value, done } = await stream.next();
  if (done === true) throw new Error('the stream ended');
  return value;
}

const short = ({ kind, position, entries }: AuditFeedEvent) => [kind, position, sequences(entries)];

describe('AuditFeed', () => {
  it('begins with a snapshot and goes on with changes', async () => {
    await commit(callRecord(), callRecord());
    const stream = feed.open({ scope: ALL });
    expect(short(await next(stream))).toEqual(['SNAPSHOT', '2', [1, 2]]);
    await publish(callRecord(), callRecord());
    await publish(callRecord());
    expect(short(await next(stream))).toEqual(['CHANGE', '5', [3, 4, 5]]);
  });

  it('shows at most the last 50 in the snapshot', async () => {
    await commit(...Array.from({ length: 60 }, () => callRecord()));
    const { entries } = await next(feed.open({ scope: ALL }));
    expect([entries.length, entries[0]?.sequence, entries.at(-1)?.sequence]).toEqual([50, 11n, 60n]);
  });

  it('misses nothing between snapshot and changes, whatever order commits are heard in', async () => {
    const changes = new Changes(database.prisma);
    changes.onCommitted(({ entry }) => {
      feed.committed({ first: entry.sequence, last: entry.sequence, entries: () => [entry] });
    });
    const writing = Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        changes.run({ caller: 'system' }, async () => ({ action: `c${n}`, namespace: '', target: '', result: n })),
      ),
    );
    const streams = [feed.open({ scope: ALL })];
    await next(streams[0] as Stream);
    streams.push(feed.open({ scope: ALL }), feed.open({ scope: ALL, after: '0' }));
    const read = streams.map(async (stream) => {
      const seen = new Set<number>();
      let last = 0;
      const order: number[] = [];
      while (last < 60) {
        const event = await next(stream);
        for (const sequence of sequences(event.entries)) {
          order.push(sequence);
          seen.add(sequence);
        }
        last = Number(event.position);
      }
      expect(order).toEqual([...order].sort((a, b) => a - b));
      expect(seen.size).toBe(order.length);
      return order;
    });
    await writing;
    const [, second, resumed] = await Promise.all(read);
    expect(resumed).toEqual(Array.from({ length: 60 }, (_, n) => n + 1));
    // The snapshot holds the last 50 before it; from its first entry on nothing is missing.
    const from = second?.[0] ?? 0;
    expect(second).toEqual(Array.from({ length: 60 - from + 1 }, (_, n) => from + n));
  });

  it('reads what it did not hear of', async () => {
    const stream = feed.open({ scope: ALL });
    await next(stream);
    await commit(callRecord(), callRecord());
    await publish(callRecord());
    expect(short(await next(stream))).toEqual(['CHANGE', '3', [1, 2, 3]]);
    await commit(callRecord());
    await feed.checkpoint();
    expect(short(await next(stream))).toEqual(['CHANGE', '4', [4]]);
  });

  it('hears each entry once when commits come in the wrong order', async () => {
    const stream = feed.open({ scope: ALL });
    await next(stream);
    const one = await commit(callRecord());
    const two = await commit(callRecord());
    feed.committed(two);
    feed.committed(one);
    expect(short(await next(stream))).toEqual(['CHANGE', '2', [1, 2]]);
    await publish(callRecord());
    expect(short(await next(stream))).toEqual(['CHANGE', '3', [3]]);
  });

  it('goes on after a position', async () => {
    await commit(callRecord(), callRecord(), callRecord());
    const stream = feed.open({ scope: ALL, after: '1' });
    expect(short(await next(stream))).toEqual(['CHANGE', '3', [2, 3]]);
    await publish(callRecord());
    expect(short(await next(stream))).toEqual(['CHANGE', '4', [4]]);
  });

  it.each([
    ['nonsense', 'the position is not one of this feed'],
    ['99', 'the position is not one of this feed'],
  ])('asks a reader with position %s to read anew', async (after, reason) => {
    await commit(callRecord());
    expect(await next(feed.open({ scope: ALL, after }))).toEqual({
      kind: 'RESYNC',
      position: '1',
      entries: [],
      reason,
    });
  });

  it('applies scope and filter to snapshot and changes', async () => {
    await commit(callRecord({ namespace: 'bank' }), callRecord({ outcome: 'DENIED' }), callRecord());
    const stream = feed.open({
      scope: { all: false, namespaces: new Set(['default']) },
      filter: { outcome: 'FAILED' },
    });
    expect(short(await next(stream))).toEqual(['SNAPSHOT', '3', [2]]);
    await publish(
      callRecord({ namespace: 'bank', outcome: 'DENIED' }),
      callRecord({ namespace: 'bank', callerNamespace: 'default', outcome: 'DENIED', details: { secret: 1 } }),
      callRecord(),
    );
    const event = await next(stream);
    expect(short(event)).toEqual(['CHANGE', '6', [5]]);
    expect(event.entries[0]?.details).toEqual({});
  });

  it('tells a slow reader to read anew, and others miss nothing', async () => {
    const slow = feed.open({ scope: ALL });
    const quick = feed.open({ scope: ALL });
    await next(quick);
    await next(slow);
    const seen: number[] = [];
    for (let n = 0; n < 20; n += 1) {
      await publish(...Array.from({ length: 100 }, () => callRecord()));
      while (seen.length < (n + 1) * 100) seen.push(...sequences((await next(quick)).entries));
    }
    expect(seen).toEqual(Array.from({ length: 2000 }, (_, n) => n + 1));
    expect(await next(slow)).toEqual({
      kind: 'RESYNC',
      position: '2000',
      entries: [],
      reason: 'more than 1000 entries were waiting to be read',
    });
    await publish(callRecord());
    expect(short(await next(slow))).toEqual(['CHANGE', '2001', [2001]]);
  });

  it('says where it is when nothing else happens', async () => {
    const stream = feed.open({ scope: ALL, filter: { outcome: 'FAILED' } });
    await next(stream);
    await publish(callRecord(), callRecord());
    await feed.checkpoint();
    await feed.checkpoint();
    expect(short(await next(stream))).toEqual(['CHECKPOINT', '2', []]);
    await publish(callRecord({ outcome: 'DENIED' }));
    expect(short(await next(stream))).toEqual(['CHANGE', '3', [3]]);
  });

  it('ends when its reader leaves, and when it is closed', async () => {
    const left = feed.open({ scope: ALL });
    const open = feed.open({ scope: ALL });
    await next(left);
    await next(open);
    const waiting = left.next();
    await left.return?.();
    expect(await waiting).toEqual({ done: true, value: undefined });
    const other = open.next();
    feed.close();
    expect(await other).toEqual({ done: true, value: undefined });
  });

  it('rejects when it cannot begin', async () => {
    const away = new AuditFeed({
      store: {
        head: () => Promise.reject(new Error('away')),
        newest: () => Promise.resolve([]),
        between: () => Promise.resolve([]),
      },
    });
    const stream = away.open({ scope: ALL });
    await expect(stream.next()).rejects.toThrow('away');
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });
});
