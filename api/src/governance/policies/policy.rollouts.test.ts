import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ALL, ANN, BOB, failure, PolicyScene } from './policies.testing.js';

let scene: PolicyScene;
let id: string;

beforeAll(async () => {
  scene = await PolicyScene.open();
});
/** Three versions, told apart by their timeouts. */
beforeEach(async () => {
  await scene.reset();
  ({ id } = (await scene.create({ content: { timeoutMs: 1 } })).policy);
  await scene.policies.saves.update(ANN, id, { content: { timeoutMs: 2 } }, 1, ALL);
  await scene.policies.saves.update(ANN, id, { content: { timeoutMs: 3 }, name: 'quicker' }, 2, ALL);
});
afterAll(() => scene.database.close());

const rollback = (toVersion: number, expectedVersion: number, comment?: string) =>
  scene.policies.rollouts.rollback(BOB, id, { toVersion, comment }, expectedVersion, ALL);
const setShare = (percent: number, expectedVersion: number) =>
  scene.policies.rollouts.setShare(BOB, id, percent, expectedVersion, ALL);

describe('going back to an earlier version', () => {
  it('makes its content a new version for all calls, and says so in audit', async () => {
    const { policy } = await rollback(1, 3, 'too quick');
    expect(policy).toMatchObject({
      name: 'quicker',
      version: 4,
      content: { timeoutMs: 1 },
      author: 'user:bob',
      comment: 'too quick',
      restoredFrom: 1,
      rolloutPercent: 100,
    });
    expect(scene.inForce).toMatchObject([{ version: 4, content: { timeoutMs: 1 } }]);
    expect(await scene.audited('policy.rollback')).toMatchObject([
      {
        actor: 'user:bob',
        details: {
          before: { version: 3, content: { timeoutMs: 3 } },
          after: { version: 4, content: { timeoutMs: 1 }, restoredFrom: 1 },
        },
      },
    ]);
  });

  it('ends a rollout: nobody uses the newest version any more', async () => {
    await scene.policies.saves.update(ANN, id, { content: { timeoutMs: 4 }, rolloutPercent: 5 }, 3, ALL);
    await rollback(3, 4);
    expect(scene.inForce).toMatchObject([{ version: 5, content: { timeoutMs: 3 }, rolloutPercent: 100 }]);
    expect(scene.inForce[0]?.stable).toBeUndefined();
  });

  it('brings back the tests of then, and warns of those that fail by now', async () => {
    const failing = {
      name: 'nobody there',
      table: { instances: [] },
      request: { caller: 'agent:shop/web', target: { capability: 'q' } },
      expect: { outcome: 'OK' },
    };
    // As a version of an earlier release could have left it.
    await scene.database.prisma.policyVersion.update({
      where: { policyUid_version: { policyUid: id, version: 2 } },
      data: { tests: [failing] },
    });
    const saved = await rollback(2, 3);
    expect(saved.policy).toMatchObject({ version: 4, content: { timeoutMs: 2 }, tests: [failing] });
    expect(saved.warnings).toContain('Saved tests of that version fail by now: nobody there.');
    expect(saved.tests).toMatchObject([{ passed: false, faults: [{ path: 'expect.outcome', expected: 'OK' }] }]);
  });

  it.each([0, -1, 3, 4, 2_000_000_000])('is refused to version %d, which is no earlier one', async (toVersion) => {
    const { code, fields } = await failure(rollback(toVersion, 3));
    expect([code, fields]).toEqual([
      'INVALID_INPUT',
      [{ path: 'toVersion', got: String(toVersion), allowed: 'an earlier version, 1 to 2' }],
    ]);
    expect(scene.inForce).toMatchObject([{ version: 3 }]);
  });

  it('is refused for a policy that has one version only', async () => {
    const { policy } = await scene.create({ name: 'new' });
    const { fields } = await failure(scene.policies.rollouts.rollback(ANN, policy.id, { toVersion: 1 }, 1, ALL));
    expect(fields?.[0]?.allowed).toBe('nothing: there is no earlier version');
  });

  it('is NOT_FOUND when the policy was deleted with its versions, and a CONFLICT when it was saved meanwhile', async () => {
    expect(await failure(rollback(1, 2))).toMatchObject({ code: 'CONFLICT', details: { current: { version: 3 } } });
    await scene.policies.saves.delete(ANN, id);
    expect((await failure(rollback(1, 3))).code).toBe('NOT_FOUND');
  });

  it('and a save at the same time: one wins', async () => {
    const ends = await Promise.allSettled([
      rollback(1, 3),
      scene.policies.saves.update(ANN, id, { content: { timeoutMs: 4 } }, 3, ALL),
    ]);
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(scene.inForce).toMatchObject([{ version: 4 }]);
    expect(await scene.database.prisma.policyVersion.count({ where: { policyUid: id } })).toBe(4);
  });
});

describe('the share of a version', () => {
  it('is widened step by step, without a new version, each step in force at once and in audit', async () => {
    await scene.policies.saves.update(ANN, id, { content: { timeoutMs: 4 }, rolloutPercent: 5 }, 3, ALL);
    const stable = { version: 3, content: { timeoutMs: 3 } };
    expect(scene.inForce).toMatchObject([{ version: 4, rolloutPercent: 5, stable }]);
    await setShare(50, 4);
    expect(scene.inForce).toMatchObject([{ version: 4, rolloutPercent: 50, stable }]);
    const { policy } = await setShare(100, 4);
    expect(policy).toMatchObject({ version: 4, rolloutPercent: 100, stable: undefined, revision: 6 });
    expect(scene.inForce[0]?.stable).toBeUndefined();
    expect(await scene.audited('policy.rollout')).toMatchObject([
      { actor: 'user:bob', details: { before: { version: 4, rolloutPercent: 5 }, after: { rolloutPercent: 50 } } },
      { details: { before: { rolloutPercent: 50 }, after: { version: 4, rolloutPercent: 100 } } },
    ]);
  });

  it('leaves the rest to the newest earlier version that had all, past versions that never did', async () => {
    await scene.policies.saves.update(ANN, id, { content: { timeoutMs: 4 }, rolloutPercent: 5 }, 3, ALL);
    await scene.policies.saves.update(ANN, id, { content: { timeoutMs: 5 }, rolloutPercent: 20 }, 4, ALL);
    expect(scene.inForce).toMatchObject([
      { version: 5, rolloutPercent: 20, stable: { version: 3, content: { timeoutMs: 3 } } },
    ]);
  });

  it('can be narrowed again, after all calls had it', async () => {
    await setShare(30, 3);
    expect(scene.inForce).toMatchObject([{ version: 3, rolloutPercent: 30, stable: { version: 2 } }]);
  });

  it.each([0, -1, 101, 2.5])('of %d percent is refused', async (percent) => {
    const { code, fields } = await failure(setShare(percent, 3));
    expect([code, fields]).toEqual([
      'INVALID_INPUT',
      [{ path: 'percent', got: String(percent), allowed: 'a whole number from 1 to 100' }],
    ]);
  });

  it('is not set for a version that is not the newest any more', async () => {
    expect(await failure(setShare(50, 2))).toMatchObject({ code: 'CONFLICT', details: { current: { version: 3 } } });
  });

  it('of many changes at once the last committed is in force', async () => {
    await Promise.all([10, 20, 30, 40, 50, 60].map((percent) => setShare(percent, 3)));
    const stored = await scene.database.prisma.policyVersion.findFirst({ where: { policyUid: id, version: 3 } });
    expect(scene.inForce[0]?.rolloutPercent).toBe(stored?.rolloutPercent);
    const [policy] = await scene.policies.store.all();
    expect(policy?.policy).toEqual(scene.inForce[0]);
  });
});
