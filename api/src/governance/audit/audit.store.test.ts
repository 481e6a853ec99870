import type { AuditRecord } from '@agent-reach/sdk/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPrisma } from '../../storage/prisma.js';
import { openTestDatabase, type TestDatabase } from '../../storage/testing.js';
import type { Scope } from '../access/principal.js';
import type { PageRequest } from '../page.js';
import { appendStatement } from './audit.append.js';
import { type AuditFilter, selects } from './audit.filter.js';
import { AuditStore } from './audit.store.js';
import { callRecord, sequences } from './audit.testing.js';

const ALL: Scope = { all: true };
const scope = (...namespaces: string[]): Scope => ({ all: false, namespaces: new Set(namespaces) });
const at = (minute: number) => Date.parse('2026-03-01T10:00:00.000Z') + minute * 60_000;

const RECORDS: readonly AuditRecord[] = [
  callRecord({ occurredAt: at(1), requestId: 'r1', capability: 'order.create' }),
  callRecord({ occurredAt: at(2), outcome: 'DENIED', traceId: 't2' }),
  callRecord({
    occurredAt: at(3),
    namespace: 'bank',
    target: 'bank/ledger',
    callerNamespace: 'default',
    instance: 'bank/ledger/a',
    details: { secret: 1 },
  }),
  callRecord({ occurredAt: at(4), namespace: 'bank', target: 'bank/ledger', actor: 'agent:bank/teller' }),
  callRecord({
    occurredAt: at(5),
    kind: 'CHANGE',
    action: 'policy.update',
    actor: 'user:ann',
    onBehalfOf: 'agent:bank/teller',
    target: 'p1',
  }),
  callRecord({ occurredAt: at(6), kind: 'TRANSITION', action: 'instance.SUSPECT', actor: 'system', outcome: 'OK' }),
  callRecord({ occurredAt: at(7), kind: 'REFUSAL', action: 'refusal.UNAUTHENTICATED', namespace: '', actor: 'system' }),
];

let database: TestDatabase;
let store: AuditStore;

beforeAll(async () => {
  database = await openTestDatabase();
  store = new AuditStore(database.prisma);
  await database.prisma.$queryRaw(appendStatement(RECORDS, { bumpConfig: false }));
});
afterAll(() => database.close());

const forward = (limit: number, after?: string): PageRequest => ({
  limit,
  direction: 'FORWARD',
  after: after === undefined ? undefined : [after],
  before: undefined,
});
const backward = (limit: number, before?: string): PageRequest => ({
  limit,
  direction: 'BACKWARD',
  after: undefined,
  before: before === undefined ? undefined : [before],
});

describe('AuditStore', () => {
  it('pages from the newest on, both ways', async () => {
    const first = await store.page({ scope: ALL }, forward(3));
    expect([sequences(first.items), first.hasNextPage, first.hasPreviousPage]).toEqual([[7, 6, 5], true, false]);
    const second = await store.page({ scope: ALL }, forward(3, '5'));
    expect([sequences(second.items), second.hasNextPage, second.hasPreviousPage]).toEqual([[4, 3, 2], true, true]);
    const third = await store.page({ scope: ALL }, forward(3, '2'));
    expect([sequences(third.items), third.hasNextPage]).toEqual([[1], false]);
    const back = await store.page({ scope: ALL }, backward(3, '2'));
    expect([sequences(back.items), back.hasPreviousPage, back.hasNextPage]).toEqual([[5, 4, 3], true, true]);
    const last = await store.page({ scope: ALL }, backward(3));
    expect([sequences(last.items), last.hasPreviousPage, last.hasNextPage]).toEqual([[3, 2, 1], true, false]);
  });

  it.each<[string, AuditFilter, number[]]>([
    ['kinds', { kinds: ['CHANGE', 'TRANSITION'] }, [6, 5]],
    ['from', { from: new Date(at(6)) }, [7, 6]],
    ['to', { to: new Date(at(3)) }, [2, 1]],
    ['from and to', { from: new Date(at(2)), to: new Date(at(4)) }, [3, 2]],
    ['caller, or on whose behalf', { caller: 'agent:bank/teller' }, [5, 4]],
    ['caller who acted for another', { caller: 'user:ann' }, [5]],
    ['target', { target: 'bank/ledger' }, [4, 3]],
    ['capability', { capability: 'order.create' }, [1]],
    ['outcome', { outcome: 'OK' }, [7, 6, 5, 4, 3, 1]],
    ['any failure', { outcome: 'FAILED' }, [2]],
    ['requestId', { requestId: 'r1' }, [1]],
    ['traceId', { traceId: 't2' }, [2]],
    ['action', { action: 'policy.update' }, [5]],
    ['several', { kinds: ['CALL'], target: 'bank/ledger', caller: 'agent:bank/teller' }, [4]],
    ['nothing that matches', { action: 'none' }, []],
  ])('filters by %s, in the database as in memory', async (_, filter, expected) => {
    const all = (await store.page({ scope: ALL }, forward(50))).items;
    expect(sequences((await store.page({ scope: ALL, filter }, forward(50))).items)).toEqual(expected);
    expect(sequences(all.filter((entry) => selects({ scope: ALL, filter }, entry)))).toEqual(expected);
  });

  it.each<[Scope, string | undefined, number[]]>([
    [scope('default'), undefined, [6, 5, 3, 2, 1]],
    [scope('bank'), undefined, [4, 3]],
    [scope(), undefined, []],
    [scope('default', 'bank'), undefined, [6, 5, 4, 3, 2, 1]],
    [ALL, 'bank', [4, 3]],
    [scope('default'), 'bank', [3]],
    [scope('default'), 'nowhere', []],
  ])('shows a scope what it may see, in the database as in memory (%#)', async (visible, namespace, expected) => {
    const all = (await store.page({ scope: ALL }, forward(50))).items;
    const selection = { scope: visible, namespace };
    expect(sequences((await store.page(selection, forward(50))).items)).toEqual(expected);
    expect(sequences(all.filter((entry) => selects(selection, entry)))).toEqual(expected);
  });

  it('hides from the caller’s namespace what happened in the other one', async () => {
    const [seen] = (await store.page({ scope: scope('default'), namespace: 'bank' }, forward(1))).items;
    expect(seen).toMatchObject({ sequence: 3n, target: 'bank/ledger', outcome: 'OK', instance: null, details: {} });
    expect(await store.find(scope('bank'), '3')).toMatchObject({ instance: 'bank/ledger/a', details: { secret: 1 } });
    expect(await store.find(scope('default'), '4')).toBeNull();
    expect(await store.find(ALL, 'not a number')).toBeNull();
  });

  it('searches a stretch at a time when no index helps, and says how far it came', async () => {
    const short = new AuditStore(database.prisma, { stretch: 3n });
    const selection = { scope: ALL, filter: { capability: 'order.create' } };
    const first = await short.page(selection, forward(5));
    expect([sequences(first.items), first.hasNextPage, first.searchedUntil]).toEqual([[], true, '5']);
    const second = await short.page(selection, forward(5, '5'));
    expect([sequences(second.items), second.hasNextPage, second.searchedUntil]).toEqual([[], true, '2']);
    const third = await short.page(selection, forward(5, '2'));
    expect([sequences(third.items), third.hasNextPage, third.searchedUntil]).toEqual([[1], false, undefined]);
    const back = await short.page({ scope: ALL, filter: { action: 'policy.update' } }, backward(5));
    expect([sequences(back.items), back.hasPreviousPage, back.searchedUntil]).toEqual([[], true, '3']);
    const selective = await short.page({ scope: ALL, filter: { requestId: 'r1' } }, forward(5));
    expect([sequences(selective.items), selective.hasNextPage]).toEqual([[1], false]);
  });

  it('refuses a cursor of another list', async () => {
    await expect(store.page({ scope: ALL }, forward(5, 'x'))).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      fields: [{ path: 'after' }],
    });
  });

  it('answers STORAGE_UNAVAILABLE while the database is away', async () => {
    const away = openPrisma('postgresql://nobody@127.0.0.1:1/none');
    await expect(new AuditStore(away).page({ scope: ALL }, forward(5))).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      retryable: true,
    });
    await away.$disconnect();
  });
});

it('knows which targets were called with success', async () => {
  expect(await store.succeeded(['bank/ledger', 'p1', 'nobody/here'])).toEqual(new Set(['bank/ledger']));
});
