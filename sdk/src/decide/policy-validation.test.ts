import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY_CONTENT } from './policy.js';
import { validatePolicyContent } from './policy-validation.js';
import { worstCaseMs } from './policy-worst-case.js';

const faultsOf = (input: unknown): string[] => validatePolicyContent(input).faults.map(({ path }) => path);

describe('validatePolicyContent', () => {
  it('fills in every default', () => {
    expect(validatePolicyContent({})).toEqual({ content: DEFAULT_POLICY_CONTENT, faults: [], warnings: [] });
  });

  it('takes null for the default', () => {
    const { content } = validatePolicyContent({ retry: null, timeoutMs: null, strategy: { name: null } });
    expect(content).toEqual(DEFAULT_POLICY_CONTENT);
  });

  it('keeps what is given', () => {
    const { content } = validatePolicyContent({
      match: { capability: 'order_*', tags: ['a', 'a'], caller: 'agent:shop/*' },
      strategy: { name: 'LEAST_IN_FLIGHT' },
      candidates: ['shop/orders'],
      allowZoneCrossing: false,
      domainSplit: { CANARY: 5, PRODUCTION: 95 },
      versions: { range: '^1.2 || 3.x' },
      sticky: true,
      timeoutMs: 500,
      retry: { factor: 1.5 },
    });
    expect(content).toEqual({
      ...DEFAULT_POLICY_CONTENT,
      match: { capability: 'order_*', tags: ['a'], caller: 'agent:shop/*' },
      strategy: { name: 'LEAST_IN_FLIGHT' },
      candidates: ['shop/orders'],
      allowZoneCrossing: false,
      domainSplit: { CANARY: 5, STAGING: 0, PRODUCTION: 95 },
      versions: { range: '^1.2 || 3.x', sticky: false },
      sticky: true,
      timeoutMs: 500,
      retry: { maxRetries: 2, baseMs: 300, factor: 1.5, capMs: 3000 },
    });
  });

  it('takes given weights for the whole', () => {
    const { content } = validatePolicyContent({ strategy: { weights: { load: 2 } } });
    expect(content?.strategy).toEqual({ name: 'WEIGHTED_SCORE', weights: { load: 2, latency: 0, affinity: 0 } });
  });

  it.each([
    [{ timeoutMs: -1 }, 'content.timeoutMs'],
    [{ timeoutMs: 0 }, 'content.timeoutMs'],
    [{ timeoutMs: Number.NaN }, 'content.timeoutMs'],
    [{ timeoutMs: Number.POSITIVE_INFINITY }, 'content.timeoutMs'],
    [{ timeoutMs: 1.5 }, 'content.timeoutMs'],
    [{ timeoutMs: '500' }, 'content.timeoutMs'],
    [{ priority: 1001 }, 'content.priority'],
    [{ allowZoneCrossing: 1 }, 'content.allowZoneCrossing'],
    [{ retry: { maxRetries: 11 } }, 'content.retry.maxRetries'],
    [{ retry: { factor: 0.5 } }, 'content.retry.factor'],
    [{ retry: [] }, 'content.retry'],
    [{ breaker: { errorRate: 1.1 } }, 'content.breaker.errorRate'],
    [{ breaker: { minimumCalls: 2 ** 31 } }, 'content.breaker.minimumCalls'],
    [{ strategy: { name: 'FASTEST' } }, 'content.strategy.name'],
    [{ strategy: { name: 'LEAST_IN_FLIGHT', weights: {} } }, 'content.strategy.weights'],
    [{ strategy: { weights: { load: 0, latency: 0, affinity: 0 } } }, 'content.strategy.weights'],
    [{ strategy: { weights: { load: -1 } } }, 'content.strategy.weights.load'],
    [{ strategy: { weights: { speed: 1, load: 1 } } }, 'content.strategy.weights.speed'],
    [{ strategy: { name: 'QUALITY', weights: {} } }, 'content.strategy.weights'],
    [{ strategy: { name: 'RANDOM', spillPercent: 20 } }, 'content.strategy.spillPercent'],
    [{ match: { capability: 'or*' } }, 'content.match.capability'],
    [{ match: { caller: 'orders' } }, 'content.match.caller'],
    [{ match: { tags: 'a' } }, 'content.match.tags'],
    [{ match: { tags: [''] } }, 'content.match.tags.0'],
    [{ candidates: ['orders'] }, 'content.candidates.0'],
    [{ candidates: ['shop/orders.'] }, 'content.candidates.0'],
    [{ domainSplit: { CANARY: 5, PRODUCTION: 94 } }, 'content.domainSplit'],
    [{ domainSplit: {} }, 'content.domainSplit'],
    [{ domainSplit: [5, 0, 95] }, 'content.domainSplit'],
    [{ domainSplit: { CANARY: -5, PRODUCTION: 105 } }, 'content.domainSplit.CANARY'],
    [{ domainSplit: { TEST: 100 } }, 'content.domainSplit.TEST'],
    [{ versions: { range: '>1 <' } }, 'content.versions.range'],
    [{ versions: { range: '' } }, 'content.versions.range'],
    [{ versions: { range: 1 } }, 'content.versions.range'],
    [{ versions: { sticky: 'yes' } }, 'content.versions.sticky'],
    [{ versions: { max: '2' } }, 'content.versions.max'],
    [{ sticky: 1 }, 'content.sticky'],
    [{ colour: 'red' }, 'content.colour'],
    [JSON.parse('{"__proto__": 1}'), 'content.__proto__'],
    ['text', 'content'],
    [[], 'content'],
  ])('refuses %j', (input, path) => {
    const { content, faults } = validatePolicyContent(input);
    expect(content).toBeUndefined();
    expect(faults.map((fault) => fault.path)).toContain(path);
  });

  const numbers = [
    'priority',
    'timeoutMs',
    'cacheTtlMs',
    'domainSplit.CANARY',
    'domainSplit.STAGING',
    'domainSplit.PRODUCTION',
    ...['maxRetries', 'baseMs', 'factor', 'capMs'].map((field) => `retry.${field}`),
    ...[
      'consecutiveFailures',
      'consecutiveWindowMs',
      'errorRate',
      'rateWindowMs',
      'minimumCalls',
      'openMs',
      'closeAfter',
      'closeSuccessRate',
      'closeAfterProbes',
      'maxMeanLatencyMs',
      'slowStartMs',
    ].map((field) => `breaker.${field}`),
  ];
  const wrong = [-1001, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** 31, '1', true, [], {}];
  it.each(numbers.flatMap((field) => wrong.map((value) => [field, value] as const)))(
    'refuses %s %s and no other field',
    (field, value) => {
      const [first = '', second] = field.split('.');
      const input = { [first]: second === undefined ? value : { [second]: value } };
      expect(faultsOf(input)).toEqual([`content.${field}`]);
    },
  );

  it('tells all faults at once', () => {
    expect(faultsOf({ timeoutMs: -1, priority: 'high', retry: { maxRetries: -1 } })).toEqual([
      'content.priority',
      'content.timeoutMs',
      'content.retry.maxRetries',
    ]);
  });

  it('warns of a worst case beyond every deadline', () => {
    const { warnings } = validatePolicyContent({ timeoutMs: 3_600_000 });
    expect(warnings).toEqual([
      'A call can take 10801200 ms in the worst case, longer than the longest deadline of a call, 3600000 ms; its last attempts would never be made.',
    ]);
  });
});

describe('warnings', () => {
  const warningsOf = (input: unknown) => validatePolicyContent(input).warnings;

  it('tell of agents that candidates and ratios shut out between them', () => {
    const agents = [
      { agent: 'shop/a', ratio: 60 },
      { agent: 'shop/b', ratio: 40 },
    ];
    const strategy = { name: 'PRIORITY_RATIO', agents, fallback: ['shop/a', 'shop/c'] };
    expect(warningsOf({ strategy, candidates: ['shop/a', 'shop/d'] })).toEqual([
      'strategy.fallback.0 shop/a is among the agents already; as a fallback it adds nothing.',
      'strategy.agents.1 shop/b is not among the candidates, so it never gets a call.',
      'strategy.fallback.1 shop/c is not among the candidates, so it never gets a call.',
      'candidates.1 shop/d has no ratio and is no fallback, so it never gets a call.',
    ]);
    expect(warningsOf({ strategy: { ...strategy, fallback: ['shop/c'] } })).toEqual([]);
  });

  it('tell of steps of a fallback that help nobody', () => {
    const spare = { kind: 'AGENT', agent: 'shop/spare' };
    const answer = { kind: 'ANSWER', result: { state: 'unknown' } };
    expect(warningsOf({ fallback: [spare, spare, answer, { kind: 'STALE', maxAgeMs: 1 }] })).toEqual([
      'fallback.1 shop/spare is asked by an earlier step already.',
      'fallback.2 always answers, so no step after it is ever reached.',
    ]);
    expect(warningsOf({ fallback: [spare, answer], candidates: ['shop/spare'] })).toEqual([
      'fallback.0 shop/spare is the only candidate, so as a fallback it adds nothing.',
    ]);
    expect(warningsOf({ fallback: [spare, answer], candidates: ['shop/spare', 'shop/orders'] })).toEqual([]);
  });

  it('tell of a range that only one version can meet', () => {
    expect(warningsOf({ versions: { range: 'nightly' } })).toEqual([
      'versions.range nightly is no semantic version range: only a version of exactly this text meets it.',
    ]);
    expect(warningsOf({ versions: { range: '1.2.3' } })).toEqual([]);
  });
});

describe('worstCaseMs', () => {
  it('adds every attempt and the longest wait before each retry', () => {
    const retry = { maxRetries: 3, baseMs: 300, factor: 3, capMs: 1000 };
    expect(worstCaseMs({ ...DEFAULT_POLICY_CONTENT, timeoutMs: 1000, retry })).toBe(4 * 1000 + 300 + 900 + 1000);
  });

  it('adds the longest wait for room and one attempt at each backup agent', () => {
    const { content = DEFAULT_POLICY_CONTENT } = validatePolicyContent({
      timeoutMs: 1000,
      retry: { maxRetries: 0 },
      queue: { maxLength: 5, maxWaitMs: 250 },
      fallback: [
        { kind: 'AGENT', agent: 'shop/spare' },
        { kind: 'STALE', maxAgeMs: 5000 },
      ],
    });
    expect(worstCaseMs(content)).toBe(250 + 1000 + 1000);
  });

  it('takes five minutes for an attempt whose timeout is derived', () => {
    expect(worstCaseMs(DEFAULT_POLICY_CONTENT)).toBe(3 * 300_000 + 300 + 900);
  });
});
