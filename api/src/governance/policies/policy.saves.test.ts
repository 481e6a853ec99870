import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ALL, ANN, BOB, contentOf, failure, PolicyScene } from './policies.testing.js';

let scene: PolicyScene;

beforeAll(async () => {
  scene = await PolicyScene.open();
});
beforeEach(() => scene.reset());
afterAll(() => scene.database.close());

/** A saved test: of two instances the one with fewer calls under way is chosen. */
const LESS_BUSY = {
  name: 'the less busy one',
  table: {
    instances: [
      { ref: 'shop/orders/a', inFlight: 4, capabilities: { q: {} } },
      { ref: 'shop/orders/b', inFlight: 1, capabilities: { q: {} } },
    ],
  },
  request: { caller: 'agent:shop/web', target: { capability: 'q' } },
  expect: { outcome: 'OK', chosen: 'shop/orders/b' },
};
const BUSIER = { ...LESS_BUSY, name: 'the busier one', expect: { chosen: 'shop/orders/a' } };

describe('a new policy', () => {
  it('is in force when the save returns, for all calls', async () => {
    const { policy } = await scene.create({ content: { timeoutMs: 500 }, comment: 'first' });
    expect(policy).toMatchObject({ version: 1, author: 'user:ann', comment: 'first', rolloutPercent: 100, tests: [] });
    expect(scene.inForce).toEqual([
      {
        id: policy.id,
        namespace: 'shop',
        name: 'quick',
        version: 1,
        content: contentOf({ timeoutMs: 500 }),
        rolloutPercent: 100,
        stable: undefined,
      },
    ]);
  });

  it('with a share leaves the rest of the calls to whatever policy would be without it', async () => {
    const { policy } = await scene.create({ rolloutPercent: 10, content: { timeoutMs: 500 } });
    const content = contentOf({ timeoutMs: 500 });
    expect(scene.inForce).toMatchObject([
      {
        id: policy.id,
        rolloutPercent: 10,
        content,
        stable: { version: 0, content: { ...content, match: { capability: '', tags: [], caller: '*' } } },
      },
    ]);
  });

  it('is not created twice under one name', async () => {
    await scene.create();
    const error = await failure(scene.create());
    expect([error.code, error.message]).toEqual(['CONFLICT', 'There is a policy with this name already.']);
    expect(error.fields).toEqual([
      { path: 'name', got: 'the name of another policy', allowed: 'one that no other policy has' },
    ]);
  });

  it('needs a namespace', async () => {
    const error = await failure(scene.create({ namespace: 'nowhere' }));
    expect(error.code).toBe('NOT_FOUND');
    expect(scene.sets).toEqual([]);
  });

  it('is refused with every fault named, those of its tests too, and changes nothing', async () => {
    const error = await failure(
      scene.create({
        namespace: 'Shop',
        name: ' ',
        content: { timeoutMs: -1, retry: { factor: Number.NaN } },
        tests: [{ name: 'x', table: { instances: [] }, request: 7, expect: {} }],
        comment: 'x'.repeat(2001),
        rolloutPercent: 0,
      }),
    );
    expect(error.code).toBe('INVALID_INPUT');
    expect(error.fields?.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        'input.namespace',
        'input.comment',
        'input.rolloutPercent',
        'input.name',
        'input.content.timeoutMs',
        'input.content.retry.factor',
        'input.tests.0.request',
      ]),
    );
    expect(await scene.database.prisma.policy.count()).toBe(0);
    expect(scene.sets).toEqual([]);
  });

  it.each([-5, 0, 101, 50.5, Number.NaN])('is refused with a share of %d percent', async (rolloutPercent) => {
    const { fields } = await failure(scene.create({ rolloutPercent }));
    expect(fields).toEqual([
      { path: 'input.rolloutPercent', got: String(rolloutPercent), allowed: 'a whole number from 1 to 100' },
    ]);
  });

  it.each([undefined, null])('is refused without content (%s)', async (content) => {
    const { fields } = await failure(scene.create({ content }));
    expect(fields).toEqual([{ path: 'input.content', got: String(content), allowed: 'an object' }]);
  });

  it('is refused with a text that the database cannot store', async () => {
    const tests = [{ ...LESS_BUSY, name: 'half a pair \ud800' }];
    const { code, fields } = await failure(scene.create({ tests, content: { match: { tags: ['a\0b'] } } }));
    expect(code).toBe('INVALID_INPUT');
    expect(fields?.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['input.content.match.tags.0', 'input.tests.0.name']),
    );
  });
});

describe('saved tests', () => {
  it('are kept with the version, and their results told', async () => {
    const saved = await scene.create({ content: { strategy: { name: 'LEAST_IN_FLIGHT' } }, tests: [LESS_BUSY] });
    expect(saved.tests).toEqual([{ name: 'the less busy one', passed: true, faults: [] }]);
    expect(saved.policy.tests).toEqual([LESS_BUSY]);
    const again = await scene.policies.saves.update(ANN, saved.policy.id, { content: { timeoutMs: 9 } }, 1, ALL);
    expect(again.policy.tests).toEqual([LESS_BUSY]);
    const without = await scene.policies.saves.update(ANN, saved.policy.id, { tests: null }, 2, ALL);
    expect(without.policy.tests).toEqual([]);
  });

  it('refuse a save when they fail, with what they expect and what came', async () => {
    const content = { strategy: { name: 'LEAST_IN_FLIGHT' } };
    const error = await failure(scene.create({ content, tests: [LESS_BUSY, BUSIER] }));
    expect([error.code, error.fields]).toEqual([
      'INVALID_INPUT',
      [{ path: 'input.tests.1.expect.chosen', got: 'shop/orders/b', allowed: 'shop/orders/a' }],
    ]);
    expect(await scene.database.prisma.policy.count()).toBe(0);
  });

  it('refuse a change of the content that breaks them', async () => {
    const { policy } = await scene.create({ content: { strategy: { name: 'LEAST_IN_FLIGHT' } }, tests: [LESS_BUSY] });
    const { fields } = await failure(
      scene.policies.saves.update(ANN, policy.id, { content: { candidates: ['shop/other'] } }, 1, ALL),
    );
    expect(fields?.map(({ path }) => path)).toEqual(['patch.tests.0.expect.outcome', 'patch.tests.0.expect.chosen']);
    expect(scene.inForce[0]?.version).toBe(1);
  });
});

describe('a change of a policy', () => {
  it('is a new version that keeps what the patch does not name, with before and after in audit', async () => {
    const { policy } = await scene.create({ content: { timeoutMs: 500, candidates: ['shop/a'] } });
    const { policy: next } = await scene.policies.saves.update(
      BOB,
      policy.id,
      { content: { candidates: [], retry: { maxRetries: 0 } }, comment: 'no retries' },
      1,
      ALL,
    );
    const content = contentOf({ timeoutMs: 500, retry: { maxRetries: 0, baseMs: 300, factor: 3, capMs: 3000 } });
    expect(next).toMatchObject({ version: 2, name: 'quick', content, author: 'user:bob', comment: 'no retries' });
    expect(scene.inForce).toMatchObject([{ version: 2, content }]);
    expect(await scene.audited('policy.update')).toMatchObject([
      {
        actor: 'user:bob',
        details: {
          before: { version: 1, author: 'user:ann', content: { timeoutMs: 500, candidates: ['shop/a'] } },
          after: { version: 2, author: 'user:bob', comment: 'no retries', content, rolloutPercent: 100 },
        },
      },
    ]);
  });

  it('takes other settings for another strategy, and keeps none of the one before', async () => {
    const { policy } = await scene.create({
      content: { strategy: { name: 'WEIGHTED_SCORE', weights: { load: 1, latency: 0, affinity: 0 } } },
    });
    const { policy: next } = await scene.policies.saves.update(
      ANN,
      policy.id,
      { content: { strategy: { name: 'CONSISTENT_HASH', spillPercent: 10 } } },
      1,
      ALL,
    );
    expect(next.content.strategy).toEqual({ name: 'CONSISTENT_HASH', spillPercent: 10 });
  });

  it('stays on the share of the version before, so that a correction reaches nobody unasked', async () => {
    const { policy } = await scene.create({ content: { timeoutMs: 1 } });
    const { saves } = scene.policies;
    await saves.update(ANN, policy.id, { content: { timeoutMs: 2 }, rolloutPercent: 10 }, 1, ALL);
    await saves.update(ANN, policy.id, { content: { timeoutMs: 3 } }, 2, ALL);
    expect(scene.inForce).toMatchObject([
      { version: 3, rolloutPercent: 10, content: { timeoutMs: 3 }, stable: { version: 1, content: { timeoutMs: 1 } } },
    ]);
    await saves.update(ANN, policy.id, { rolloutPercent: null }, 3, ALL);
    expect(scene.inForce).toMatchObject([{ version: 4, rolloutPercent: 100, content: { timeoutMs: 3 } }]);
    expect(scene.inForce[0]?.stable).toBeUndefined();
  });

  it('is refused when it was based on an older version, with what there is now', async () => {
    const { policy } = await scene.create();
    await scene.policies.saves.update(BOB, policy.id, { content: { timeoutMs: 7 }, comment: 'mine' }, 1, ALL);
    const error = await failure(scene.policies.saves.update(ANN, policy.id, { content: { timeoutMs: 8 } }, 1, ALL));
    expect([error.code, error.details]).toMatchObject([
      'CONFLICT',
      { current: { version: 2, author: 'user:bob', comment: 'mine', content: { timeoutMs: 7 } } },
    ]);
  });

  it('of two with the same base exactly one wins, and the other sees what the first saved', async () => {
    const { policy } = await scene.create();
    for (let version = 1; version <= 5; version += 1) {
      const before = scene.sets.length;
      const ends = await Promise.allSettled(
        [11, 12, 13].map((timeoutMs) =>
          scene.policies.saves.update(ANN, policy.id, { content: { timeoutMs } }, version, ALL),
        ),
      );
      const won = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value.policy] : []));
      const lost = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
      expect([won.length, lost.length]).toEqual([1, 2]);
      const timeoutMs = won[0]?.content.timeoutMs;
      for (const error of lost) {
        expect(error).toMatchObject({
          code: 'CONFLICT',
          details: { current: { version: version + 1, content: { timeoutMs } } },
        });
      }
      expect(scene.sets.length).toBe(before + 1);
      expect(scene.inForce).toMatchObject([{ version: version + 1, content: { timeoutMs } }]);
    }
  });

  it('is NOT_FOUND for a policy that is gone, or never was', async () => {
    const { policy } = await scene.create();
    await scene.policies.saves.delete(ANN, policy.id);
    const gone = await failure(scene.policies.saves.update(ANN, policy.id, {}, 1, ALL));
    const never = await failure(scene.policies.saves.update(ANN, 'never', {}, 1, ALL));
    expect([gone.code, never.code]).toEqual(['NOT_FOUND', 'NOT_FOUND']);
  });
});

describe('a policy that is deleted while it is saved', () => {
  it('is gone at the end, for routers too, whichever came first', async () => {
    for (let round = 0; round < 8; round += 1) {
      const { policy } = await scene.create({ name: `policy-${round}` });
      const work = [
        () => scene.policies.saves.update(ANN, policy.id, { content: { timeoutMs: 5 } }, 1, ALL),
        () => scene.policies.saves.delete(BOB, policy.id),
      ];
      if (round % 2 === 1) work.reverse();
      const ends = await Promise.allSettled(work.map((start) => start()));
      const [saved, deleted] = round % 2 === 1 ? ends.toReversed() : ends;
      expect(deleted?.status).toBe('fulfilled');
      if (saved?.status === 'rejected') expect(saved.reason).toMatchObject({ code: 'NOT_FOUND' });
      expect(await scene.database.prisma.policyVersion.count({ where: { policyUid: policy.id } })).toBe(0);
      expect(scene.inForce.some(({ id }) => id === policy.id)).toBe(false);
    }
    const last = await scene.audited('policy.delete');
    expect(last).toHaveLength(8);
  });
});
