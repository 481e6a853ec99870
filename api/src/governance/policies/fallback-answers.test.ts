import { DEFAULT_POLICY_CONTENT, type PolicyContent } from '@agent-reach/sdk/decide';
import { beforeEach, describe, expect, it } from 'vitest';
import { registerFrame, TestRegistry, testLink } from '../../perceive/testing.js';
import { answerWarnings } from './fallback-answers.js';

const link = testLink('link');
let test: TestRegistry;

beforeEach(async () => {
  test = new TestRegistry();
  await test.ready({}, 'inc-1', link);
});

function warnings(result: Readonly<Record<string, unknown>>, more: Partial<PolicyContent> = {}): string[] {
  const fallback: PolicyContent['fallback'] = [
    { kind: 'STALE', maxAgeMs: 1_000 },
    { kind: 'ANSWER', result },
  ];
  return answerWarnings({ ...DEFAULT_POLICY_CONTENT, fallback, ...more }, 'shop', test.registry);
}

const WARNING =
  'fallback.1.result does not match the outputSchema of order_query (shop/orders 1.0.0): ' +
  'status: got nothing, allowed: a value: it is required.';

describe('a fixed answer of a fallback', () => {
  it('that breaks the outputSchema of a capability is told with the capability and the fault', () => {
    expect(warnings({ nonsense: 1 })).toEqual([WARNING]);
    expect(warnings({ status: 'unknown' })).toEqual([]);
  });

  it('is looked at for the capabilities that the policy is for only', () => {
    const match = { capability: 'order_*', tags: [], caller: 'app:shop/web' };
    expect(warnings({}, { match })).toEqual([WARNING]);
    expect(warnings({}, { match: { ...match, capability: 'stock_*' } })).toEqual([]);
    expect(warnings({}, { match: { ...match, tags: ['read'] } })).toEqual([]);
    expect(warnings({}, { candidates: ['shop/archive'] })).toEqual([]);
    expect(warnings({}, { candidates: ['shop/archive', 'shop/orders'] })).toEqual([WARNING]);
  });

  it('is told once for a capability, whoever offers it', async () => {
    await test.ready({}, 'inc-2', undefined, 'archive');
    expect(warnings({})).toEqual([WARNING]);
  });

  it('is looked at while the agent is away, which is when it is given', () => {
    test.registry.goodbye('shop/orders/one', link);
    expect(test.registry.instances('shop/orders')).toEqual([]);
    expect(warnings({})).toEqual([WARNING]);
  });

  it('may be anything where no schema says what an answer is', async () => {
    const [declared] = registerFrame().capabilities;
    if (declared === undefined) throw new Error('nothing is declared');
    const { outputSchema: _, ...silent } = declared;
    await test.ready({ capabilities: [{ ...silent, name: 'stock_query' }] }, 'inc-2', undefined, 'stock');
    expect(warnings({}, { match: { capability: 'stock_query', tags: [], caller: '*' } })).toEqual([]);
  });
});
