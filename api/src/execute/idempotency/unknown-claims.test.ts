import { expect, it } from 'vitest';
import { UnknownClaims } from './unknown-claims.js';

const KEY = { caller: 'agent:shop/web', requestId: 'r1' } as const;
const ATTEMPT = { instance: 'shop/orders/one', incarnation: 'inc-1', dispatchId: 'd1' } as const;
const DAY_MS = 24 * 3_600_000;

it('leaves nothing behind of a dispatch that was added twice', () => {
  const claims = new UnknownClaims();
  claims.add(KEY, ATTEMPT, 0);
  claims.add(KEY, ATTEMPT, 1);
  expect([...claims.on('shop/orders/one')]).toEqual([{ key: KEY, attempt: ATTEMPT, since: 1 }]);
  claims.delete('d1');
  expect([...claims.on('shop/orders/one')]).toEqual([]);
});

it('forgets each a day after it was added last', () => {
  const claims = new UnknownClaims();
  claims.add(KEY, ATTEMPT, 0);
  claims.add({ ...KEY, requestId: 'r2' }, { ...ATTEMPT, dispatchId: 'd2' }, 10);
  claims.add(KEY, ATTEMPT, 20);
  claims.expire(DAY_MS + 10);
  expect([...claims.on('shop/orders/one')].map(({ attempt }) => attempt.dispatchId)).toEqual(['d1']);
});
