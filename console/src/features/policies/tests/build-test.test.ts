import { DEFAULT_POLICY_CONTENT, type PolicyContent } from '@agent-reach/sdk/decide';
import { expect, test } from 'vitest';
import type { RouteExplanation } from '@/features/explain/explain.operations';
import { buildTest } from './build-test';
import type { Situation } from './test-table';
import { testStates } from './use-test-results';

const instance = (ref: string, inFlight: number) => ({
  ref,
  version: '1.0.0',
  zone: 'default',
  domain: 'PRODUCTION',
  lifecycle: 'READY',
  health: 'HEALTHY',
  reason: '',
  inFlight,
  tasks: 0,
  queueDepth: 0,
  utilisation: null,
  meanLatencyMs: null,
  successRate: null,
  ackOverdue: false,
  maxConcurrency: 10,
  maxQueue: 0,
  maxTasks: 100,
  breaker: 'CLOSED',
  breakerReason: '',
});

const agent = (ref: string, ...inFlight: number[]): Situation => ({
  agent: {
    ref,
    type: 'test.echo',
    weight: 100,
    instances: inFlight.map((count, index) => instance(`${ref}/${'abc'[index]}`, count)),
    capabilities: [
      { agentVersion: '1.0.0', name: 'echo', aliases: [], tags: ['fast'], mode: 'SYNC' },
      { agentVersion: '1.0.0', name: 'sleep', aliases: [], tags: [], mode: 'SYNC' },
    ],
  },
  allowed: true,
});

const explained = (chosen: string, ...instances: string[]): RouteExplanation => ({
  outcome: 'OK',
  chosen,
  message: '',
  policy: { id: null, name: 'default', version: 1, strategy: 'LEAST_IN_FLIGHT' },
  stages: [],
  rollout: null,
  canaryPercent: null,
  binding: null,
  unknown: [],
  candidates: instances.map((each) => ({
    instance: each,
    kept: true,
    stage: 'STRATEGY',
    reason: '',
    score: 1,
    parts: null,
  })),
});

const content: PolicyContent = { ...DEFAULT_POLICY_CONTENT, strategy: { name: 'LEAST_IN_FLIGHT' } };
const policy = { namespace: 'shop', name: 'calm', content };
const input = { caller: 'agent:shop/web', target: { namespace: 'shop', capability: 'echo' } };

test('a capability for tasks comes with its mode and the tasks that run', () => {
  const [{ agent: busy, allowed }] = [agent('shop/a', 0)];
  const situation: Situation = {
    allowed,
    agent: {
      ...busy,
      instances: busy.instances.map((each) => ({ ...each, tasks: 4, maxTasks: 5 })),
      capabilities: [{ agentVersion: '1.0.0', name: 'echo', aliases: [], tags: [], mode: 'TASK' }],
    },
  };
  const built = buildTest(input, explained('shop/a/a', 'shop/a/a'), [situation], policy);
  expect(built).toMatchObject({
    table: { instances: [{ ref: 'shop/a/a', tasks: 4, maxTasks: 5, capabilities: { echo: { mode: 'TASK' } } }] },
  });
});

test('the decision is what is expected, with the instances as they are', () => {
  const built = buildTest(input, explained('shop/a/b', 'shop/a/b', 'shop/a/a'), [agent('shop/a', 3, 0)], policy);
  expect(built).toMatchObject({
    name: 'agent:shop/web → echo: shop/a',
    table: {
      instances: [
        { ref: 'shop/a/b', type: 'test.echo', capabilities: { echo: { aliases: [], tags: ['fast'] } } },
        { ref: 'shop/a/a', inFlight: 3 },
      ],
    },
    request: { caller: 'agent:shop/web', target: { capability: 'echo' } },
    expect: { outcome: 'OK', chosen: 'shop/a/b' },
  });
  // What is usual is left out.
  expect(built.table.instances[0]).not.toHaveProperty('lifecycle');
  expect(testStates(policy, [built])).toMatchObject([{ is: 'RUN', result: { passed: true } }]);
});

test('of equals that the lot decided between, the agent is expected, or nothing more than the outcome', () => {
  const one = buildTest(input, explained('shop/a/b', 'shop/a/a', 'shop/a/b'), [agent('shop/a', 0, 0)], policy);
  expect(one.expect).toEqual({ outcome: 'OK', agent: 'shop/a' });
  const two = buildTest(
    input,
    explained('shop/b/a', 'shop/a/a', 'shop/b/a'),
    [agent('shop/a', 0), agent('shop/b', 0)],
    policy,
  );
  expect(two.expect).toEqual({ outcome: 'OK' });
});

test('whom the caller may not call, it may not call in the test either', () => {
  const denied = { ...agent('shop/b', 0), allowed: false };
  const built = buildTest(input, explained('shop/a/a', 'shop/a/a', 'shop/b/a'), [agent('shop/a', 1), denied], policy);
  expect(built.table.permissions).toEqual([
    { namespace: 'shop', caller: 'agent:shop/web', target: 'shop/a', capability: '*', effect: 'ALLOW' },
  ]);
  expect(testStates(policy, [built])).toMatchObject([{ is: 'RUN', result: { passed: true } }]);
});

test("a test that fails or can't be run says why", () => {
  const built = buildTest(input, explained('shop/a/b', 'shop/a/b', 'shop/a/a'), [agent('shop/a', 3, 0)], policy);
  const failing = { ...built, expect: { outcome: 'OK', chosen: 'shop/a/a' } };
  const faulty = { ...built, expect: { outcome: 'MAYBE' } };
  expect(testStates(policy, [failing, faulty])).toMatchObject([
    {
      is: 'RUN',
      result: { passed: false, faults: [{ path: 'expect.chosen', expected: 'shop/a/a', got: 'shop/a/b' }] },
    },
    { is: 'FAULTY', faults: [expect.stringContaining('expect.outcome: got "MAYBE"')] },
  ]);
});

test('a test may expect its policy by name, and one without a name yet is the draft', () => {
  const built = buildTest(input, explained('shop/a/b', 'shop/a/b', 'shop/a/a'), [agent('shop/a', 3, 0)], policy);
  const expecting = (name: string) => ({ ...built, expect: { ...built.expect, policy: name } });
  expect(testStates(policy, [expecting('calm')])).toMatchObject([{ is: 'RUN', result: { passed: true } }]);
  expect(testStates({ ...policy, name: ' ' }, [expecting('draft')])).toMatchObject([
    { is: 'RUN', result: { passed: true } },
  ]);
});

test('the share for canaries that a call was drawn by comes along', () => {
  const canary = agent('shop/a', 0, 0);
  const [one, two] = canary.agent.instances;
  if (one === undefined || two === undefined) throw new Error('there are two');
  const situation = { ...canary, agent: { ...canary.agent, instances: [one, { ...two, domain: 'CANARY' }] } };
  const explanation = { ...explained('shop/a/b', 'shop/a/b', 'shop/a/a'), canaryPercent: 20 };
  // r2 falls at 11.55 %.
  const built = buildTest({ ...input, requestId: 'r2' }, explanation, [situation], policy);
  expect(built.table).toMatchObject({ canaryPercent: 20, instances: [{ domain: 'CANARY' }, {}] });
  expect(built.expect).toEqual({ outcome: 'OK', chosen: 'shop/a/b' });
});
