import { describe, expect, it } from 'vitest';
import { callerFault, capabilityFault, reachesOtherNamespace, targetFault } from './permission.pattern.js';

describe('callers', () => {
  it.each([
    '*',
    'agent:shop/orders',
    'agent:shop/*',
    'agent:shop/order-*',
    'agent:shop-*',
    'app:shop/web',
    'app:shop/*',
    'user:ann',
    'user:ann@example.org',
    'user:team-*',
    'role:clerk',
  ])('%s is one', (caller) => {
    expect(callerFault('c', caller)).toBeUndefined();
  });

  it.each([
    '',
    'orders',
    'agent:orders',
    'agent:shop/orders/one',
    'agent:*',
    'agent:shop/ord*',
    'agent:shop/*s',
    'agent:Shop/orders',
    'app:shop',
    'user:',
    'user:*',
    'role:*',
    'role:a.*',
    'group:x',
    '__proto__',
  ])('%j is none', (caller) => {
    expect(callerFault('c', caller)).toMatchObject({ path: 'c' });
  });
});

describe('targets', () => {
  it.each(['*', 'shop/orders', 'shop/*', 'shop/order.*'])('%s is one', (target) => {
    expect(targetFault('t', target)).toBeUndefined();
  });
  it.each(['', 'shop', 'shop/', '/orders', 'shop/or*', 'shop/orders/one', 'shop/Orders', 'sh*p/x'])(
    '%j is none',
    (target) => {
      expect(targetFault('t', target)).toMatchObject({ path: 't' });
    },
  );
});

describe('capabilities', () => {
  it.each(['*', 'order_query', 'order_*', 'Order.Query', 'a.b.*'])('%s is one', (capability) => {
    expect(capabilityFault('c', capability)).toBeUndefined();
  });
  it.each(['', 'order query', 'order*', '_x', 'a/b', 'a/*', '**'])('%j is none', (capability) => {
    expect(capabilityFault('c', capability)).toMatchObject({ path: 'c' });
  });
});

describe('reachesOtherNamespace', () => {
  it.each([
    ['agent:shop/orders', false],
    ['app:shop/*', false],
    ['agent:bank/ledger', true],
    ['agent:shop-2/orders', true],
    ['agent:shop-*', true],
    ['user:ann', false],
    ['role:clerk', false],
    ['*', false],
  ])('%s from shop: %s', (caller, other) => {
    expect(reachesOtherNamespace(caller, 'shop')).toBe(other);
  });
});
