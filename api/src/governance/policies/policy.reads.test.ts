import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PageRequest } from '../page.js';
import { ALL, ANN, failure, PolicyScene } from './policies.testing.js';
import { versionChanges } from './policy.reads.js';

let scene: PolicyScene;
let id: string;
let other: string;

beforeAll(async () => {
  scene = await PolicyScene.open();
  await scene.reset();
  const { saves } = scene.policies;
  ({ id } = (await scene.create({ content: { timeoutMs: 100 }, comment: 'v1' })).policy);
  for (let version = 1; version < 7; version += 1) {
    const patch = { content: { timeoutMs: 100 * (version + 1) }, comment: `v${version + 1}` };
    await saves.update(ANN, id, patch, version, ALL);
  }
  const bank = { namespace: 'bank', name: 'slow', content: {} };
  other = (await saves.create(ANN, bank, ALL)).policy.id;
});
afterAll(() => scene.database.close());

const ask = async (request: Partial<PageRequest>) => {
  const full: PageRequest = { limit: 3, direction: 'FORWARD', after: undefined, before: undefined, ...request };
  const [page] = await scene.policies.reads.versions([id], full);
  return [page?.items.map(({ version }) => version), page?.hasPreviousPage, page?.hasNextPage];
};

describe('versions', () => {
  it('come newest first, page by page, both ways', async () => {
    expect(await ask({})).toEqual([[7, 6, 5], false, true]);
    expect(await ask({ after: ['5'] })).toEqual([[4, 3, 2], true, true]);
    expect(await ask({ after: ['2'] })).toEqual([[1], true, false]);
    expect(await ask({ direction: 'BACKWARD' })).toEqual([[3, 2, 1], true, false]);
    expect(await ask({ direction: 'BACKWARD', before: ['3'] })).toEqual([[6, 5, 4], true, true]);
    expect(await ask({ direction: 'BACKWARD', before: ['6'] })).toEqual([[7], false, true]);
    expect(await ask({ after: ['6'], before: ['4'] })).toEqual([[5], true, false]);
  });

  it.each(['0', '-1', 'x', '99999999999', '1; drop table policies'])('refuse the cursor %s', async (key) => {
    const { code, fields } = await failure(
      scene.policies.reads.versions([id], { limit: 3, direction: 'FORWARD', after: [key], before: undefined }),
    );
    expect([code, fields?.[0]?.path]).toEqual(['INVALID_INPUT', 'after']);
  });

  it('of many policies come together, each with what it changed', async () => {
    const [first, second, none] = await scene.policies.reads.versions(
      [id, other, '01900000-0000-7000-8000-000000000000'],
      {
        limit: 2,
        direction: 'FORWARD',
        after: undefined,
        before: undefined,
      },
    );
    expect(first?.items).toMatchObject([
      { version: 7, comment: 'v7', author: 'user:ann', content: { timeoutMs: 700 }, rolloutPercent: 100 },
      { version: 6, restoredFrom: null, tests: [] },
    ]);
    expect(first?.items.map(versionChanges)).toEqual([
      [{ path: 'timeoutMs', before: 600, after: 700 }],
      [{ path: 'timeoutMs', before: 500, after: 600 }],
    ]);
    expect(second?.items).toHaveLength(1);
    expect(second?.items.map(versionChanges)).toEqual([[]]);
    expect(none?.items).toEqual([]);
  });

  it('are compared, any two, in both directions', async () => {
    const policy = await scene.policies.reads.find(ALL, id);
    if (policy === undefined) throw new Error('no policy');
    const { reads } = scene.policies;
    expect(await reads.diff(policy, 1, 4)).toEqual([{ path: 'timeoutMs', before: 100, after: 400 }]);
    expect(await reads.diff(policy, 4, 1)).toEqual([{ path: 'timeoutMs', before: 400, after: 100 }]);
    expect(await reads.diff(policy, 2, 2)).toEqual([]);
    const { code, fields } = await failure(reads.diff(policy, 0, 8));
    expect([code, fields]).toEqual([
      'INVALID_INPUT',
      [
        { path: 'from', got: '0', allowed: 'a version of this policy, 1 to 7' },
        { path: 'to', got: '8', allowed: 'a version of this policy, 1 to 7' },
      ],
    ]);
  });
});

describe('policies', () => {
  it('outside the scope are not there', async () => {
    const shop = { all: false, namespaces: new Set(['shop']) } as const;
    expect(await scene.policies.reads.find(shop, other)).toBeUndefined();
    const page = { limit: 10, direction: 'FORWARD', after: undefined, before: undefined } as const;
    const { items } = await scene.policies.reads.list(shop, undefined, page);
    expect(items.map(({ name }) => name)).toEqual(['quick']);
    expect((await scene.policies.reads.list({ all: false, namespaces: new Set() }, null, page)).items).toEqual([]);
  });

  it('are read again as they are in force', async () => {
    const stored = await scene.policies.store.all();
    const byId = (a: { id: string | null }, b: { id: string | null }) => ((a.id ?? '') < (b.id ?? '') ? -1 : 1);
    expect(stored.map(({ policy }) => policy).sort(byId)).toEqual([...scene.inForce].sort(byId));
  });
});
