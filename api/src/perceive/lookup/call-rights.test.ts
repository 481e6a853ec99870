import { createPermissionSet, type PermissionRule } from '@agent-reach/sdk/decide';
import { describe, expect, it } from 'vitest';
import { callRights, NOTHING, type Seeker } from './call-rights.js';

const WEB: Seeker = { caller: 'agent:shop/web', roles: ['clerk'] };

let count = 0;
const rule = (
  caller: string,
  target: string,
  capability: string,
  more: Partial<PermissionRule> = {},
): PermissionRule => ({
  id: `r${++count}`,
  namespace: 'shop',
  caller,
  target,
  capability,
  effect: 'ALLOW',
  ...more,
});

const rights = (rules: readonly PermissionRule[], seeker = WEB, now = 0) =>
  callRights(createPermissionSet(rules), seeker, now);

describe('what a caller may find', () => {
  it('is nothing by default, and nothing by rules for others', () => {
    expect(rights([])).toBe(NOTHING);
    expect(rights([rule('agent:shop/other', '*', '*'), rule('role:admin', '*', '*')])).toBe(NOTHING);
    expect(rights([rule('agent:shop/web', '*', '*', { effect: 'DENY' })])).toBe(NOTHING);
  });

  it.each([
    ['by its name', 'agent:shop/web', 'shop/orders', 'order_query'],
    ['by a prefix', 'agent:shop/*', 'shop/*', 'order_*'],
    ['by a role', 'role:clerk', 'shop/orders', '*'],
    ['by everything', '*', '*', '*'],
  ])('is what a rule allows %s', (_how, caller, target, capability) => {
    const may = rights([rule(caller, target, capability)]);
    expect(may('shop/orders', 'order_query')).toBe(true);
    // A rule of the namespace shop says nothing of another's agents, not even as *.
    expect(may('bank/orders', 'order_query')).toBe(false);
  });

  it('is judged for each agent and capability', () => {
    const may = rights([rule('*', 'shop/orders', 'order_query'), rule('*', 'shop/stock', 'inventory_check')]);
    expect(may('shop/orders', 'order_query')).toBe(true);
    expect(may('shop/orders', 'inventory_check')).toBe(false);
    expect(may('shop/stock', 'order_query')).toBe(false);
  });

  it('is not what a DENY takes away, nor what has expired', () => {
    const denied = rights([rule('*', '*', '*'), rule('agent:shop/web', 'shop/*', 'order_*', { effect: 'DENY' })]);
    expect(denied('shop/orders', 'order_query')).toBe(false);
    expect(denied('shop/orders', 'refund')).toBe(true);
    const expiring = [rule('*', '*', '*', { expiresAt: 1_000 })];
    expect(rights(expiring, WEB, 999)('shop/orders', 'refund')).toBe(true);
    expect(rights(expiring, WEB, 1_000)('shop/orders', 'refund')).toBe(false);
  });
});
