import { describe, expect, it } from 'vitest';
import { validatePolicyContent } from './policy-validation.js';

describe('settings of a strategy', () => {
  const strategyOf = (strategy: unknown) => validatePolicyContent({ strategy }).content?.strategy;
  const faults = (strategy: unknown) => validatePolicyContent({ strategy }).faults;

  it.each(['LEAST_IN_FLIGHT', 'LEAST_LOAD', 'ROUND_ROBIN', 'RANDOM'])('%s has none', (name) => {
    expect(strategyOf({ name })).toEqual({ name });
    expect(faults({ name, ratio: 1 })).toEqual([
      { path: 'content.strategy.ratio', got: 'an unknown field', allowed: 'one of name' },
    ]);
  });

  it('fills in those that are left out', () => {
    expect(strategyOf({ name: 'QUALITY', quality: { base: 0 } })).toEqual({
      name: 'QUALITY',
      quality: { base: 0, successWeight: 60, latencyWeight: 40, latencyBoundMs: 5000 },
    });
    expect(strategyOf({ name: 'CONSISTENT_HASH' })).toEqual({ name: 'CONSISTENT_HASH', spillPercent: 20 });
  });

  const numbers: [strategy: string, field: string, make: (value: unknown) => unknown][] = [
    ['WEIGHTED_SCORE', 'weights.load', (load) => ({ name: 'WEIGHTED_SCORE', weights: { load, latency: 1 } })],
    ['WEIGHTED_SCORE', 'weights.latency', (latency) => ({ weights: { latency, load: 1 } })],
    ['WEIGHTED_SCORE', 'weights.affinity', (affinity) => ({ weights: { affinity, load: 1 } })],
    ['QUALITY', 'quality.base', (base) => ({ name: 'QUALITY', quality: { base } })],
    ['QUALITY', 'quality.successWeight', (successWeight) => ({ name: 'QUALITY', quality: { successWeight } })],
    ['QUALITY', 'quality.latencyWeight', (latencyWeight) => ({ name: 'QUALITY', quality: { latencyWeight } })],
    ['QUALITY', 'quality.latencyBoundMs', (latencyBoundMs) => ({ name: 'QUALITY', quality: { latencyBoundMs } })],
    ['CONSISTENT_HASH', 'spillPercent', (spillPercent) => ({ name: 'CONSISTENT_HASH', spillPercent })],
    [
      'PRIORITY_RATIO',
      'agents.1.ratio',
      (ratio) => ({
        name: 'PRIORITY_RATIO',
        agents: [
          { agent: 'shop/a', ratio: 100 },
          { agent: 'shop/b', ratio },
        ],
      }),
    ],
  ];
  const wrong = [-1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** 31, '1', true, [], {}];
  it.each(numbers.flatMap(([name, field, make]) => wrong.map((value) => [name, field, value, make] as const)))(
    'refuses %s %s %s',
    (_, field, value, make) => {
      expect(faults(make(value)).map(({ path }) => path)).toEqual([`content.strategy.${field}`]);
    },
  );

  it('refuses more than a whole of spilled choices, and a quality in which nothing counts', () => {
    expect(faults({ name: 'CONSISTENT_HASH', spillPercent: 101 })).toEqual([
      { path: 'content.strategy.spillPercent', got: '101', allowed: 'a number from 0 to 100' },
    ]);
    expect(faults({ name: 'QUALITY', quality: { successWeight: 0, latencyWeight: 0 } })).toEqual([
      { path: 'content.strategy.quality', got: 'every weight 0', allowed: 'successWeight or latencyWeight over 0' },
    ]);
    expect(faults({ name: 'QUALITY', quality: { latencyBoundMs: 0 } })[0]?.path).toBe(
      'content.strategy.quality.latencyBoundMs',
    );
  });
});

describe('ratios', () => {
  const ratioFaults = (agents: unknown, more: object = {}) =>
    validatePolicyContent({ strategy: { name: 'PRIORITY_RATIO', agents, ...more } }).faults;
  const ratios = (...values: readonly number[]) => values.map((ratio, index) => ({ agent: `shop/a${index}`, ratio }));

  it('are kept in their order, with the fallback', () => {
    const strategy = { name: 'PRIORITY_RATIO', agents: ratios(80, 0, 20), fallback: ['shop/spare'] };
    expect(validatePolicyContent({ strategy }).content?.strategy).toEqual(strategy);
    expect(validatePolicyContent({ strategy: { ...strategy, fallback: null } }).content?.strategy).toEqual({
      ...strategy,
      fallback: [],
    });
  });

  it.each([
    [ratios(50, 49), 'ratios that sum to 99'],
    [ratios(50, 51), 'ratios that sum to 101'],
    [ratios(0, 0), 'ratios that sum to 0'],
    [[], 'ratios that sum to 0'],
    [ratios(33.3, 33.3, 33.3), 'ratios that sum to 99.9'],
  ])('must sum to 100: %j', (agents, got) => {
    expect(ratioFaults(agents)).toEqual([{ path: 'content.strategy.agents', got, allowed: 'ratios that sum to 100' }]);
  });

  it('may be parts of a percent', () => {
    expect(ratioFaults(ratios(33.3, 33.3, 33.4))).toEqual([]);
    expect(ratioFaults(ratios(0.1, 0.2, 99.7))).toEqual([]);
  });

  it('name each agent once', () => {
    const agents = [
      { agent: 'shop/a', ratio: 50 },
      { agent: 'shop/a', ratio: 50 },
    ];
    expect(ratioFaults(agents)).toEqual([
      { path: 'content.strategy.agents.1.agent', got: '"shop/a"', allowed: 'an agent that is not in the list yet' },
    ]);
  });

  it.each([
    [undefined, 'content.strategy.agents'],
    ['shop/a', 'content.strategy.agents'],
    [[null], 'content.strategy.agents.0'],
    [['shop/a'], 'content.strategy.agents.0'],
    [[{ ratio: 100 }], 'content.strategy.agents.0.agent'],
    [[{ agent: 'a', ratio: 100 }], 'content.strategy.agents.0.agent'],
    [[{ agent: 'shop/a' }], 'content.strategy.agents.0.ratio'],
    [[{ agent: 'shop/a', ratio: 100, share: 1 }], 'content.strategy.agents.0.share'],
  ])('refuse %j', (agents, path) => {
    expect(ratioFaults(agents).map((fault) => fault.path)).toContain(path);
  });

  it('refuse a fallback that is no agent', () => {
    expect(ratioFaults(ratios(100), { fallback: ['spare'] }).map(({ path }) => path)).toEqual([
      'content.strategy.fallback.0',
    ]);
  });
});
