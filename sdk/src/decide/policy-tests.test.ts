import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DEFAULT_POLICY_CONTENT, type PolicyContent } from './policy.js';
import { type PolicyTest, runPolicyTests, validatePolicyTests } from './policy-tests.js';

const one = {
  name: 'orders go to orders',
  table: {
    instances: [
      { ref: 'shop/orders/a', inFlight: 3, capabilities: { q: null } },
      { ref: 'shop/other/b', inFlight: 0, capabilities: { q: { aliases: ['ask'], tags: ['read'] } } },
    ],
  },
  request: { caller: 'agent:shop/web', target: { capability: 'q' } },
  expect: { outcome: 'OK', chosen: 'shop/orders/a' },
};

const content = (more: Partial<PolicyContent>): PolicyContent => ({ ...DEFAULT_POLICY_CONTENT, ...more });

function isEmptyTarget(target: object): boolean {
  return !('agent' in target) && !('capability' in target);
}

function testsOf(input: unknown): readonly PolicyTest[] {
  const { tests, faults } = validatePolicyTests(input);
  expect(faults).toEqual([]);
  return tests ?? [];
}

describe('runPolicyTests', () => {
  const listed = content({ candidates: ['shop/orders'] });

  it('passes what the policy does, without permissions and a namespace being named', () => {
    expect(runPolicyTests('shop', listed, testsOf([one]))).toEqual([
      { name: 'orders go to orders', passed: true, faults: [] },
    ]);
  });

  it('tells in what a decision is not what was expected', () => {
    const expectation = {
      outcome: 'OK',
      chosen: 'shop/orders/a',
      agent: 'shop/orders',
      policy: 'orders',
      message: 'shop/orders/a was chosen.',
      candidates: { 'shop/orders/a': 'kept' },
    };
    const [result] = runPolicyTests('shop', content({}), testsOf([{ ...one, expect: expectation }]), 'orders');
    expect(result).toEqual({
      name: 'orders go to orders',
      passed: false,
      faults: [
        { path: 'expect.chosen', expected: 'shop/orders/a', got: 'shop/other/b' },
        { path: 'expect.agent', expected: 'shop/orders', got: 'shop/other' },
        {
          path: 'expect.message',
          expected: 'shop/orders/a was chosen.',
          got: 'shop/other/b was chosen by WEIGHTED_SCORE.',
        },
        { path: 'expect.candidates.shop/other/b', expected: undefined, got: 'kept' },
      ],
    });
  });

  it('tells when the policy does not match the call at all', () => {
    const other = content({ match: { capability: 'other', tags: [], caller: '*' }, candidates: ['shop/orders'] });
    const [result] = runPolicyTests('shop', other, testsOf([{ ...one, expect: { policy: 'orders' } }]), 'orders');
    expect(result?.faults).toEqual([{ path: 'expect.policy', expected: 'orders', got: 'default' }]);
  });

  it('tells when nobody is left', () => {
    const tests = testsOf([{ ...one, table: { instances: [{ ...one.table.instances[0], lifecycle: 'PAUSED' }] } }]);
    expect(runPolicyTests('shop', listed, tests)[0]?.faults).toEqual([
      { path: 'expect.outcome', expected: 'OK', got: 'NO_ROUTE' },
      { path: 'expect.chosen', expected: 'shop/orders/a', got: undefined },
    ]);
  });

  it('counts the permissions that a test names, also when it names none', () => {
    const tests = testsOf([
      { ...one, table: { ...one.table, permissions: [] }, expect: { outcome: 'DENIED' } },
      {
        ...one,
        name: 'allowed',
        table: {
          ...one.table,
          permissions: [
            { namespace: 'shop', caller: 'agent:shop/*', target: 'shop/other', capability: '*', effect: 'ALLOW' },
          ],
        },
        expect: { agent: 'shop/other' },
      },
    ]);
    expect(runPolicyTests('shop', content({}), tests).map(({ passed }) => passed)).toEqual([true, true]);
  });

  it('runs each test by itself: a strategy that takes turns starts anew', () => {
    const turns = content({ strategy: { name: 'ROUND_ROBIN' } });
    const tests = testsOf(['a', 'b', 'c'].map((name) => ({ ...one, name, expect: { chosen: 'shop/orders/a' } })));
    expect(runPolicyTests('shop', turns, tests).map(({ passed }) => passed)).toEqual([true, true, true]);
  });

  it('knows what an affinity key is bound to', () => {
    const sticky = content({ sticky: true, strategy: { name: 'LEAST_IN_FLIGHT' } });
    const request = { ...one.request, affinityKey: 'k' };
    const [a, b] = one.table.instances;
    const lost = {
      instances: [
        { ...a, version: '2.0.0' },
        { ...b, version: '1.5.0' },
        { ...a, ref: 'shop/orders/c' },
      ],
    };
    const tests = testsOf([
      { ...one, request: { ...request, boundTo: 'shop/orders/a' }, expect: { chosen: 'shop/orders/a' } },
      {
        ...one,
        name: 'the other',
        request: { ...request, boundTo: 'shop/other/b' },
        expect: { chosen: 'shop/other/b' },
      },
      {
        ...one,
        name: 'lost, and of a version that is still there',
        table: lost,
        request: { ...request, boundTo: 'shop/orders/z', boundVersion: '2.0.0' },
        expect: { chosen: 'shop/orders/a' },
      },
    ]);
    const sameVersion = { ...sticky, versions: { range: null, sticky: true } };
    expect(runPolicyTests('shop', sameVersion, tests).map(({ passed }) => passed)).toEqual([true, true, true]);
  });

  it('takes the cases of the router itself', () => {
    const directory = new URL('./cases/', import.meta.url);
    const cases = readdirSync(directory)
      .flatMap((file) => parse(readFileSync(new URL(file, directory), 'utf8')) as Record<string, unknown>[])
      .filter((each) => (each.table as { policies?: unknown }).policies === undefined)
      // A target of neither agent nor capability comes through no way in, so no saved test may have it.
      .filter((each) => !isEmptyTarget((each.request as { target: object }).target))
      .map((each) => ({ ...each, table: { permissions: [], ...(each.table as object) } }));
    expect(cases.length).toBeGreaterThan(20);
    for (const each of cases) {
      const [result] = runPolicyTests('elsewhere', content({}), testsOf([each]));
      expect(result).toEqual({ name: (each as { name?: unknown }).name, passed: true, faults: [] });
    }
  });
});
