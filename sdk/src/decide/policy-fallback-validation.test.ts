import { describe, expect, it } from 'vitest';
import { validatePolicyContent } from './policy-validation.js';

const check = (fallback: unknown) => validatePolicyContent({ fallback });
const answer = (result: unknown) => ({ kind: 'ANSWER', result });
/** An object whose JSON has so many bytes. */
const ofSize = (bytes: number) => ({ text: 'x'.repeat(bytes - '{"text":""}'.length) });
const nested = (levels: number): unknown => (levels === 0 ? 'x' : { inner: nested(levels - 1) });

describe('fallback', () => {
  it('keeps its steps in their order', () => {
    const steps = [
      { kind: 'AGENT', agent: 'shop/spare' },
      { kind: 'STALE', maxAgeMs: 86_400_000 },
      { kind: 'ANSWER', result: { state: 'unknown', since: null, deep: [{ a: 1 }] } },
    ];
    expect(check(steps).content?.fallback).toEqual(steps);
  });

  it('is empty when it is left out or null', () => {
    expect(validatePolicyContent({}).content?.fallback).toEqual([]);
    expect(check(null).content?.fallback).toEqual([]);
  });

  it('takes names of any kind in an answer for data', () => {
    const result: unknown = JSON.parse('{"__proto__": {"a": 1}}');
    expect(JSON.stringify(check([answer(result)]).content?.fallback)).toBe(
      '[{"kind":"ANSWER","result":{"__proto__":{"a":1}}}]',
    );
  });

  it('takes an answer of 16 KiB and no larger one, counted in bytes', () => {
    expect(check([answer(ofSize(16_384))]).faults).toEqual([]);
    expect(check([answer(ofSize(16_385))]).faults).toEqual([
      { path: 'content.fallback.0.result', got: '16385 bytes', allowed: 'at most 16384 bytes' },
    ]);
    const wide = { text: 'é'.repeat(8_192) };
    expect(check([answer(wide)]).faults).toEqual([
      { path: 'content.fallback.0.result', got: '16395 bytes', allowed: 'at most 16384 bytes' },
    ]);
  });

  it.each([
    [{}, 'content.fallback'],
    ['none', 'content.fallback'],
    [[null], 'content.fallback.0'],
    [['AGENT'], 'content.fallback.0'],
    [[{}], 'content.fallback.0.kind'],
    [[{ kind: 'RETRY' }], 'content.fallback.0.kind'],
    [[{ kind: 'AGENT' }], 'content.fallback.0.agent'],
    [[{ kind: 'AGENT', agent: 'orders' }], 'content.fallback.0.agent'],
    [[{ kind: 'AGENT', agent: 'shop/a', maxAgeMs: 1 }], 'content.fallback.0.maxAgeMs'],
    [[{ kind: 'STALE' }], 'content.fallback.0.maxAgeMs'],
    [[{ kind: 'STALE', maxAgeMs: 0 }], 'content.fallback.0.maxAgeMs'],
    [[{ kind: 'STALE', maxAgeMs: 86_400_001 }], 'content.fallback.0.maxAgeMs'],
    [[{ kind: 'STALE', maxAgeMs: 1.5 }], 'content.fallback.0.maxAgeMs'],
    [[{ kind: 'ANSWER' }], 'content.fallback.0.result'],
    [[answer(null)], 'content.fallback.0.result'],
    [[answer('sorry')], 'content.fallback.0.result'],
    [[answer([])], 'content.fallback.0.result'],
    [[answer({ n: Number.POSITIVE_INFINITY })], 'content.fallback.0.result'],
    [[answer({ n: [2 ** 53] })], 'content.fallback.0.result'],
    [[answer(nested(33))], 'content.fallback.0.result'],
    [[{ kind: 'STALE', maxAgeMs: 1 }, { kind: 'AGENT' }], 'content.fallback.1.agent'],
    [Array.from({ length: 6 }, () => ({ kind: 'STALE', maxAgeMs: 1 })), 'content.fallback'],
  ])('refuses %j at one place', (fallback, path) => {
    const { content, faults } = check(fallback);
    expect(content).toBeUndefined();
    expect(faults.map((fault) => fault.path)).toEqual([path]);
  });

  it('names the kinds that there are', () => {
    expect(check([{ kind: 'RETRY' }]).faults).toEqual([
      { path: 'content.fallback.0.kind', got: '"RETRY"', allowed: 'AGENT, STALE, ANSWER' },
    ]);
  });

  it('takes an answer of 32 levels', () => {
    expect(check([answer(nested(32))]).faults).toEqual([]);
  });
});
