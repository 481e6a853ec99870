import { parse } from 'graphql';
import { expect, it } from 'vitest';
import type { Principal } from '../../governance/access/principal.js';
import { operationKey } from './operation-key.js';

const ANN = { roles: [{ namespace: 'shop', role: 'VIEWER' }], scope: { all: true } } as const;
const QUERY = `subscription ($f: HealthFilterInput, $a: String, $long: Boolean!) {
  healthChanges(filter: $f, after: $a) { kind ...More @include(if: $long) }
}
fragment More on HealthEvent { position }`;

type Rights = Pick<Principal, 'roles' | 'scope'>;

const key = (variables: Record<string, unknown>, rights: Rights = ANN, query = QUERY) =>
  operationKey(parse(query), { query, variables }, rights);

it('is the same for another position or filter, which only say what events come', () => {
  expect(key({ a: 'e1.7', f: { agent: 'shop/orders' }, long: true })).toBe(key({ long: true }));
});

it('is another for what the fields of an event depend on', () => {
  expect(key({ long: false })).not.toBe(key({ long: true }));
  expect(key({ long: true }, ANN, QUERY.replace('position', 'reason'))).not.toBe(key({ long: true }));
  const nested = 'subscription ($n: Int) { healthChanges { instances(first: $n) { reason } } }';
  expect(key({ n: 1 }, ANN, nested)).not.toBe(key({ n: 2 }, ANN, nested));
  // Within a fragment it isn't told apart what belongs to the subscription itself.
  const spread = 'subscription ($n: Int) { ...All } fragment All on Subscription { healthChanges(after: $n) { kind } }';
  expect(key({ n: 1 }, ANN, spread)).not.toBe(key({ n: 2 }, ANN, spread));
});

it('is another for other rights, in whatever order they are given', () => {
  const both = { ...ANN, roles: [...ANN.roles, { namespace: null, role: 'ADMIN' }] } as const;
  const reversed = { ...ANN, roles: [...both.roles].reverse() };
  const shop = { roles: ANN.roles, scope: { all: false, namespaces: new Set(['shop']) } } as const;
  expect(new Set([key({}), key({}, both), key({}, reversed), key({}, shop)]).size).toBe(3);
});
