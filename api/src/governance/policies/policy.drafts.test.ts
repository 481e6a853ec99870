import {
  createLiveState,
  createPolicySet,
  DEFAULT_POLICY_CONTENT,
  decide,
  type Policy,
  type RouteInstance,
  type RouteRequest,
  RouteTable,
  recordDecision,
  seededRandom,
} from '@agent-reach/sdk/decide';
import type { InstanceRef } from '@agent-reach/sdk/protocol';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ALL, ANN, contentOf, failure, PolicyScene } from './policies.testing.js';
import type { PolicyDraftInput } from './policy.drafts.js';
import { Replays } from './replay.js';
import { type BundledWorker, bundleWorker } from './replay.testing.js';

let worker: BundledWorker;
let scene: PolicyScene;

beforeAll(async () => {
  worker = await bundleWorker(new URL('./replay.worker.ts', import.meta.url));
  scene = await PolicyScene.open({ replays: new Replays({ worker: worker.url }) });
});
beforeEach(() => scene.reset());
afterAll(async () => {
  await scene.database.close();
  worker.remove();
});

function instance(ref: InstanceRef): RouteInstance {
  const [namespace = '', agent = ''] = ref.split('/');
  return {
    ref,
    agent: `${namespace}/${agent}`,
    namespace,
    agentType: 'test.agent',
    version: '1.0.0',
    domain: 'PRODUCTION',
    zone: 'default',
    weight: 100,
    maxConcurrency: 10,
    maxQueue: 0,
    maxTasks: 100,
    capabilities: [{ name: 'q', aliases: [], tags: [], idempotent: false, mode: 'SYNC' }],
    live: createLiveState('READY', 'HEALTHY', ''),
  };
}

/** Calls to capability q of shop, decided and recorded ten a second; answers the instances that they went to. */
function record(count: number, refs: readonly InstanceRef[], policies: readonly Policy[] = []): InstanceRef[] {
  const table = new RouteTable();
  for (const ref of refs) table.put(instance(ref));
  table.setPermissions([{ id: 'all', namespace: 'shop', caller: '*', target: '*', capability: '*', effect: 'ALLOW' }]);
  table.setPolicies(policies);
  const start = Date.now() - count * 100;
  return Array.from({ length: count }, (_, index) => {
    const request: RouteRequest = {
      requestId: `request-${index}`,
      caller: 'agent:shop/web',
      roles: [],
      namespace: 'shop',
      target: { capability: 'q' },
      zone: undefined,
      domain: 'PRODUCTION',
      affinityKey: undefined,
      tried: undefined,
    };
    const now = { monotonic: index * 100, wall: start + index * 100 };
    const decision = decide(table, request, now, seededRandom(index));
    if (decision.outcome !== 'OK') throw new Error(decision.outcome);
    const recorded = recordDecision(table, request, now, index, decision);
    if (scene.recentCalls.wants(now.wall)) scene.recentCalls.add(recorded, now.wall);
    table.applied(decision);
    return decision.choice.instance.ref;
  });
}

const replay = (draft: Partial<PolicyDraftInput>) =>
  scene.policies.drafts.replay({ namespace: 'shop', content: {}, ...draft }, ALL, 'draft', 'user:ada');

const TWO: readonly InstanceRef[] = ['shop/a/1', 'shop/b/1'];

describe('a draft, replayed on recent calls', () => {
  it('says how many would go elsewhere, from where to where', async () => {
    const toA = record(200, TWO).filter((ref) => ref === 'shop/a/1').length;
    expect(toA).toBeGreaterThan(50);
    expect(await replay({ content: { candidates: ['shop/b'] } })).toMatchObject({
      recorded: 200,
      recordedEvery: 1,
      replayed: 200,
      concerned: 200,
      moved: toA,
      unknown: 0,
      moves: [
        {
          from: 'shop/a',
          fromInstance: 'shop/a/1',
          fromOutcome: 'OK',
          to: 'shop/b',
          toInstance: 'shop/b/1',
          toOutcome: 'OK',
          calls: toA,
        },
      ],
    });
  });

  it.each(['RANDOM', 'ROUND_ROBIN', 'WEIGHTED_SCORE', 'LEAST_IN_FLIGHT'])(
    'that chooses as the policy in force does moves nobody: replays make the same choices (%s)',
    async (name) => {
      const { policy } = await scene.create({ content: { strategy: { name } } });
      const gone = new Set(record(300, [...TWO, 'shop/c/1'], scene.inForce));
      expect(gone.size).toBe(3);
      const same = await replay({
        id: policy.id,
        content: { strategy: { name }, timeoutMs: 50, retry: { maxRetries: 0 } },
      });
      expect(same).toMatchObject({ recorded: 300, replayed: 300, concerned: 300, moved: 0, unknown: 0, moves: [] });
    },
  );

  it('tells of errors that calls would get', async () => {
    record(10, TWO);
    expect(await replay({ content: { candidates: ['shop/nobody'] } })).toMatchObject({
      concerned: 10,
      moved: 10,
      moves: expect.arrayContaining([expect.objectContaining({ to: null, toInstance: null, toOutcome: 'NO_ROUTE' })]),
    });
  });

  it('concerns only calls that fall to it, or fell to the policy that it replaces', async () => {
    record(10, TWO);
    expect(await replay({ content: { match: { capability: 'other' } } })).toMatchObject({ replayed: 10, concerned: 0 });
    const { policy } = await scene.create({ content: { match: { capability: 'q' } } });
    record(5, TWO, scene.inForce);
    const elsewhere = { id: policy.id, content: { match: { capability: 'other' } } };
    expect(await replay(elsewhere)).toMatchObject({ recorded: 15, replayed: 15, concerned: 5 });
  });

  it('sees calls to its own namespace only', async () => {
    record(10, TWO);
    expect(await replay({ namespace: 'bank' })).toMatchObject({ recorded: 0, replayed: 0, since: null });
  });

  it('is counted over a sample when there were more calls than are kept', async () => {
    record(10_001, TWO);
    const found = await replay({ content: { candidates: ['shop/b'] } });
    expect(found).toMatchObject({ recorded: 5_001, recordedEvery: 2, replayed: 5_001, concerned: 5_001, unknown: 0 });
    expect(found.moved).toBeGreaterThan(1_000);
  });

  it('is refused with its faults, and replays nothing', async () => {
    record(1, TWO);
    const { code, fields } = await failure(replay({ content: { timeoutMs: 0 } }));
    expect([code, fields]).toEqual([
      'INVALID_INPUT',
      [{ path: 'draft.content.timeoutMs', got: '0', allowed: 'a whole number from 1 to 3600000' }],
    ]);
  });

  it('replaces a policy of its own namespace only', async () => {
    const { policy } = await scene.create();
    expect((await failure(replay({ namespace: 'bank', id: policy.id }))).code).toBe('NOT_FOUND');
    const bank = { all: false, namespaces: new Set(['bank']) } as const;
    const draft = { namespace: 'shop', id: policy.id, content: {} };
    expect((await failure(scene.policies.drafts.replay(draft, bank, 'draft', 'user:ada'))).code).toBe('NOT_FOUND');
  });
});

describe('the policies that a draft would make', () => {
  const find = async (draft: Partial<PolicyDraftInput>, capability: string) => {
    const set = await scene.policies.drafts.policySet({ namespace: 'shop', content: {}, ...draft }, ALL, 'draft');
    const { id, name, version, content } = set.find('shop', capability, [], 'agent:shop/web', 'r1');
    return { id, name, version, timeoutMs: content.timeoutMs };
  };

  it('are those in force, with the draft in the place of the one that it replaces, for all calls', async () => {
    const { policy } = await scene.create({ content: { match: { capability: 'q' }, timeoutMs: 1 } });
    await scene.policies.saves.update(ANN, policy.id, { content: { timeoutMs: 2 }, rolloutPercent: 1 }, 1, ALL);
    await scene.create({ name: 'other', content: { match: { capability: 'p' }, timeoutMs: 9 } });
    const draft = { id: policy.id, content: { match: { capability: 'q' }, timeoutMs: 3 } };
    expect(await find(draft, 'q')).toEqual({ id: policy.id, name: 'quick', version: 3, timeoutMs: 3 });
    expect(await find(draft, 'p')).toMatchObject({ name: 'other', timeoutMs: 9 });
  });

  it('hold a new one beside the others', async () => {
    await scene.create({ content: { timeoutMs: 1 } });
    const draft = { content: { match: { capability: 'q' }, timeoutMs: 3 } };
    expect(await find(draft, 'q')).toEqual({ id: 'draft', name: 'draft', version: 1, timeoutMs: 3 });
    expect(await find(draft, 'p')).toMatchObject({ name: 'quick', timeoutMs: 1 });
  });

  it('change nothing of what is in force', async () => {
    const { policy } = await scene.create({ content: { timeoutMs: 1 } });
    await find({ id: policy.id, content: { timeoutMs: 3 } }, 'q');
    expect(scene.inForce).toMatchObject([{ version: 1, content: contentOf({ timeoutMs: 1 }) }]);
    const set = createPolicySet(scene.inForce);
    expect(set.find('shop', 'q', [], 'agent:shop/web', 'r1').content).toEqual({
      ...DEFAULT_POLICY_CONTENT,
      timeoutMs: 1,
    });
  });
});
