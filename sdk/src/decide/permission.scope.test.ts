import { describe, expect, it } from 'vitest';
import { createPermissionSet, type PermissionRule } from './permission.js';

const rule = (target: string, more: Partial<PermissionRule> = {}): PermissionRule => ({
  ...{ id: target, namespace: 'shop', caller: 'agent:shop/*', target, capability: 'q', effect: 'ALLOW' },
  ...more,
});

describe('the scope of a permission view', () => {
  it.each([
    ['a rule for the whole namespace', [rule('shop/*')], { kind: 'ALL' }],
    ['a rule for everything', [rule('*')], { kind: 'ALL' }],
    ['no rule', [], { kind: 'NONE' }],
    [
      'rules for others only',
      [rule('*', { caller: 'agent:bank/x' }), rule('*', { capability: 'r' })],
      { kind: 'NONE' },
    ],
    ['rules that name agents', [rule('shop/a'), rule('shop/b')], { kind: 'SOME', agents: ['shop/a', 'shop/b'] }],
    ['a DENY alone', [rule('shop/a', { effect: 'DENY' })], { kind: 'SOME', agents: [] }],
    ['a prefix', [rule('shop/a-*')], { kind: 'EACH' }],
    ['everything but one', [rule('*'), rule('shop/a', { effect: 'DENY' })], { kind: 'EACH' }],
    ['a rule for everything that ends', [rule('*', { expiresAt: 5 })], { kind: 'EACH' }],
  ] satisfies [string, PermissionRule[], object][])('of %s', (_, rules, expected) => {
    expect(createPermissionSet(rules).view('agent:shop/web', [], 'q').scope('shop')).toEqual(expected);
  });

  it('is that of the caller with its present roles', () => {
    const set = createPermissionSet([rule('*', { caller: 'role:reader' })]);
    expect(set.view('agent:shop/web', ['reader'], 'q').scope('shop')).toEqual({ kind: 'ALL' });
    expect(set.view('agent:shop/web', [], 'q').scope('shop')).toEqual({ kind: 'NONE' });
    expect(set.view('agent:shop/web', ['reader'], 'q').scope('shop')).toEqual({ kind: 'ALL' });
  });

  it('is forgotten for the longest known when there are too many, and then found again', () => {
    const set = createPermissionSet([rule('*')]);
    for (let caller = 0; caller < 12_000; caller++) {
      expect(set.view(`agent:shop/c${caller}`, [], 'q').scope('shop').kind).toBe('ALL');
    }
    expect(set.view('agent:shop/c0', [], 'q').scope('shop').kind).toBe('ALL');
  });
});
