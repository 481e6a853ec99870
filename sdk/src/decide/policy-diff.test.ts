import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY_CONTENT, type PolicyContent } from './policy.js';
import { policyDiff } from './policy-diff.js';

const content = (more: Partial<PolicyContent>): PolicyContent => ({ ...DEFAULT_POLICY_CONTENT, ...more });

describe('policyDiff', () => {
  it('finds nothing between equals, whatever the order of their fields', () => {
    const strategy = (agents: unknown): unknown => ({ strategy: { name: 'PRIORITY_RATIO', agents } });
    expect(policyDiff(DEFAULT_POLICY_CONTENT, structuredClone(DEFAULT_POLICY_CONTENT))).toEqual([]);
    expect(policyDiff({ a: 1, b: { c: [1] } }, { b: { c: [1] }, a: 1 })).toEqual([]);
    const one = strategy([{ agent: 'shop/a', ratio: 100 }]);
    expect(policyDiff(one, strategy([{ ratio: 100, agent: 'shop/a' }]))).toEqual([]);
  });

  it('names the leaf that changed', () => {
    const after = content({ priority: 3, retry: { ...DEFAULT_POLICY_CONTENT.retry, maxRetries: 0 }, timeoutMs: 500 });
    expect(policyDiff(DEFAULT_POLICY_CONTENT, after)).toEqual([
      { path: 'priority', before: 0, after: 3 },
      { path: 'timeoutMs', before: null, after: 500 },
      { path: 'retry.maxRetries', before: 2, after: 0 },
    ]);
  });

  it('tells lists as a whole', () => {
    expect(policyDiff({ candidates: ['shop/a', 'shop/b'] }, { candidates: ['shop/b', 'shop/a'] })).toEqual([
      { path: 'candidates', before: ['shop/a', 'shop/b'], after: ['shop/b', 'shop/a'] },
    ]);
    expect(
      policyDiff({ agents: [{ agent: 'shop/a', ratio: 100 }] }, { agents: [{ agent: 'shop/a', ratio: 99 }] }),
    ).toEqual([{ path: 'agents', before: [{ agent: 'shop/a', ratio: 100 }], after: [{ agent: 'shop/a', ratio: 99 }] }]);
  });

  it('tells settings that come or go with their strategy', () => {
    const after = content({ strategy: { name: 'CONSISTENT_HASH', spillPercent: 20 } });
    expect(policyDiff(DEFAULT_POLICY_CONTENT, after)).toEqual([
      { path: 'strategy.name', before: 'WEIGHTED_SCORE', after: 'CONSISTENT_HASH' },
      { path: 'strategy.spillPercent', before: undefined, after: 20 },
      { path: 'strategy.weights.load', before: 0.4, after: undefined },
      { path: 'strategy.weights.latency', before: 0.3, after: undefined },
      { path: 'strategy.weights.affinity', before: 0.3, after: undefined },
    ]);
  });

  it('tells a split of domains that was none as a whole', () => {
    const domainSplit = { CANARY: 5, STAGING: 0, PRODUCTION: 95 };
    expect(policyDiff(DEFAULT_POLICY_CONTENT, content({ domainSplit }))).toEqual([
      { path: 'domainSplit', before: null, after: domainSplit },
    ]);
    expect(policyDiff(content({ domainSplit }), content({ domainSplit: { ...domainSplit, CANARY: 6 } }))).toEqual([
      { path: 'domainSplit.CANARY', before: 5, after: 6 },
    ]);
  });
});
