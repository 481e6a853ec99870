import type { PermissionRule } from '@agent-reach/sdk/decide';
import { describe, expect, it } from 'vitest';
import { permittedCaller } from './permitted.js';

function rule(effect: 'ALLOW' | 'DENY', caller: string, target: string, capability: string, more = {}): PermissionRule {
  return { id: `${effect} ${caller}`, namespace: 'shop', effect, caller, target, capability, ...more };
}

const web = rule('ALLOW', 'agent:shop/web', 'shop/orders', 'order_query');

describe('whom the rules let call an agent', () => {
  it.each<[string, readonly PermissionRule[], string]>([
    ['no rule', [], 'NOBODY'],
    ['a rule', [web], 'SOMEBODY'],
    ['a pattern', [rule('ALLOW', '*', 'shop/*', 'order_*')], 'SOMEBODY'],
    ['a role', [rule('ALLOW', 'role:clerk', '*', '*')], 'SOMEBODY'],
    ['another target', [rule('ALLOW', '*', 'shop/order', '*')], 'NOBODY'],
    ['another capability', [rule('ALLOW', '*', '*', 'refund')], 'NOBODY'],
    ['another namespace', [rule('ALLOW', '*', '*', '*', { namespace: 'bank' })], 'NOBODY'],
    ['one that has expired', [rule('ALLOW', '*', '*', '*', { expiresAt: 1_000 })], 'NOBODY'],
    ['one that will expire', [rule('ALLOW', '*', '*', '*', { expiresAt: 1_001 })], 'SOMEBODY'],
    ['a denial of the same', [web, rule('DENY', 'agent:shop/web', '*', '*')], 'OUTWEIGHED'],
    ['a denial of more', [rule('DENY', 'agent:shop/*', '*', 'order_*'), web], 'OUTWEIGHED'],
    [
      'a denial of everybody',
      [rule('ALLOW', 'role:clerk', '*', '*'), rule('DENY', '*', 'shop/orders', '*')],
      'OUTWEIGHED',
    ],
    ['a denial that has expired', [web, rule('DENY', '*', '*', '*', { expiresAt: 999 })], 'SOMEBODY'],
    [
      'a denial of some',
      [rule('ALLOW', 'agent:shop/*', '*', '*'), rule('DENY', 'agent:shop/web', '*', '*')],
      'SOMEBODY',
    ],
    [
      'a denial of another capability',
      [rule('ALLOW', '*', '*', '*'), rule('DENY', '*', '*', 'order_query')],
      'SOMEBODY',
    ],
    ['a denial of another target', [web, rule('DENY', '*', 'shop/stock', '*')], 'SOMEBODY'],
  ])('%s', (_name, rules, is) => {
    expect(permittedCaller(rules, 'shop/orders', ['order_query', 'order_create'], 1_000).is).toBe(is);
  });

  it('nobody, while it has no capability', () => {
    expect(permittedCaller([rule('ALLOW', '*', '*', '*')], 'shop/orders', [], 0)).toEqual({ is: 'NOBODY' });
  });
});
