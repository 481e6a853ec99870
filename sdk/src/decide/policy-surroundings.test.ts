import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY_CONTENT, type Policy, type PolicyContent } from './policy.js';
import { type PolicySurroundings, policyWarnings } from './policy-surroundings.js';

function content(more: Partial<PolicyContent> = {}): PolicyContent {
  return { ...DEFAULT_POLICY_CONTENT, ...more };
}

function policy(name: string, more: Partial<PolicyContent> = {}, rest: Partial<Policy> = {}): Policy {
  return {
    id: name,
    namespace: 'shop',
    name,
    version: 1,
    content: content(more),
    rolloutPercent: 100,
    stable: undefined,
    ...rest,
  };
}

function among(others: readonly Policy[], name = 'mine'): PolicySurroundings {
  return { namespace: 'shop', name, others, knownAgents: (ref) => ref === 'shop/orders' };
}

const orders = { capability: 'order.*', tags: ['a', 'b'], caller: '*' };

describe('agents', () => {
  it('that nobody knows, or of another namespace, are told with their place', () => {
    const candidates = ['shop/orders', 'shop/nobody', 'bank/orders'] as const;
    expect(policyWarnings(content({ candidates }), among([]))).toEqual([
      'candidates.1: there is no agent shop/nobody; it counts once there is one.',
      'candidates.2 bank/orders is in another namespace; calls that a policy of shop is for never reach it.',
    ]);
  });

  it('of ratios and fallback are looked at as well', () => {
    const strategy: PolicyContent['strategy'] = {
      name: 'PRIORITY_RATIO',
      agents: [
        { agent: 'shop/orders', ratio: 50 },
        { agent: 'shop/gone', ratio: 50 },
      ],
      fallback: ['shop/spare'],
    };
    expect(policyWarnings(content({ strategy }), among([]))).toEqual([
      'strategy.agents.1.agent: there is no agent shop/gone; it counts once there is one.',
      'strategy.fallback.0: there is no agent shop/spare; it counts once there is one.',
    ]);
  });
});

describe('backup agents', () => {
  it('are looked at like candidates', () => {
    const fallback: PolicyContent['fallback'] = [
      { kind: 'STALE', maxAgeMs: 60_000 },
      { kind: 'AGENT', agent: 'shop/orders' },
      { kind: 'AGENT', agent: 'shop/gone' },
      { kind: 'AGENT', agent: 'bank/orders' },
    ];
    expect(policyWarnings(content({ fallback }), among([]))).toEqual([
      'fallback.2.agent: there is no agent shop/gone; it counts once there is one.',
      'fallback.3.agent bank/orders is in another namespace; calls that a policy of shop is for never reach it.',
    ]);
  });
});

describe('a policy that would never be used', () => {
  it('is told when another is for the same calls with a higher priority', () => {
    const other = policy('first', { match: { ...orders, tags: ['b', 'a'] }, priority: 5 });
    expect(policyWarnings(content({ match: orders }), among([other]))).toEqual([
      'This policy would never be used: first is for the same calls and has the higher priority, 5 over 0.',
    ]);
  });

  it('is told when it is alike in all but the name', () => {
    expect(policyWarnings(content(), among([policy('a')]))).toEqual([
      'This policy would never be used: a is for the same calls and comes first by its name, since both have priority 0.',
    ]);
  });

  it('is told when it is the other one, which this one makes unreachable', () => {
    expect(policyWarnings(content({ priority: -1 }), among([policy('old', { priority: -2 })]))).toEqual([
      'Policy old would never be used any more: this one is for the same calls and has the higher priority, -1 over -2.',
    ]);
  });

  it('is not one that is narrower, broader, or of another namespace', () => {
    const others = [
      policy('broader', { priority: 1000 }),
      policy('narrower', { match: { ...orders, caller: 'user:ann' }, priority: 1000 }),
      policy('elsewhere', { match: orders, priority: 1000 }, { namespace: 'bank' }),
      policy('more-tags', { match: { ...orders, tags: ['a', 'b', 'c'] }, priority: 1000 }),
    ];
    expect(policyWarnings(content({ match: orders }), among(others))).toEqual([]);
  });

  it('is none while a rolled out version leaves it a part of the calls', () => {
    const raised = policy(
      'raised',
      { match: orders, priority: 5 },
      { version: 2, rolloutPercent: 50, stable: { version: 1, content: content({ match: orders, priority: -5 }) } },
    );
    expect(policyWarnings(content({ match: orders }), among([raised]))).toEqual([]);
    const both = { ...raised, stable: { version: 1, content: content({ match: orders, priority: 4 }) } };
    expect(policyWarnings(content({ match: orders }), among([both]))).toHaveLength(1);
  });
});
