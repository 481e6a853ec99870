import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY_CONTENT } from './policy.js';
import { validatePolicyContent, worstCaseMs } from './policy-validation.js';

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
      timeoutMs: 500,
      retry: { factor: 1.5 },
    });
    expect(content).toEqual({
      ...DEFAULT_POLICY_CONTENT,
      match: { capability: 'order_*', tags: ['a'], caller: 'agent:shop/*' },
      strategy: { name: 'LEAST_IN_FLIGHT' },
      candidates: ['shop/orders'],
      allowZoneCrossing: false,
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
    [{ match: { capability: 'or*' } }, 'content.match.capability'],
    [{ match: { caller: 'orders' } }, 'content.match.caller'],
    [{ match: { tags: 'a' } }, 'content.match.tags'],
    [{ match: { tags: [''] } }, 'content.match.tags.0'],
    [{ candidates: ['orders'] }, 'content.candidates.0'],
    [{ colour: 'red' }, 'content.colour'],
    [JSON.parse('{"__proto__": 1}'), 'content.__proto__'],
    ['text', 'content'],
    [[], 'content'],
  ])('refuses %j', (input, path) => {
    const { content, faults } = validatePolicyContent(input);
    expect(content).toBeUndefined();
    expect(faults.map((fault) => fault.path)).toContain(path);
  });

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

describe('worstCaseMs', () => {
  it('adds every attempt and the longest wait before each retry', () => {
    const retry = { maxRetries: 3, baseMs: 300, factor: 3, capMs: 1000 };
    expect(worstCaseMs({ ...DEFAULT_POLICY_CONTENT, timeoutMs: 1000, retry })).toBe(4 * 1000 + 300 + 900 + 1000);
  });

  it('takes five minutes for an attempt whose timeout is derived', () => {
    expect(worstCaseMs(DEFAULT_POLICY_CONTENT)).toBe(3 * 300_000 + 300 + 900);
  });
});
