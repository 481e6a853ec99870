import type { CapabilityDeclaration } from '@agent-reach/sdk/protocol';
import { beforeEach, expect, test } from 'vitest';
import { TestExecution } from '../execute/testing.js';

let t: TestExecution;
beforeEach(() => {
  t = new TestExecution();
});

const declared = (name: string, aliases: readonly string[] = []): CapabilityDeclaration => ({
  name,
  aliases,
  description: `Use it to do what ${name} says; answers when it is done.`,
  inputSchema: { type: 'object', properties: {} },
  idempotent: true,
});

const allow = (...capabilities: string[]): void =>
  t.t.registry.setPermissions(
    capabilities.map((capability) => ({
      id: capability,
      namespace: 'shop',
      caller: '*',
      target: '*',
      capability,
      effect: 'ALLOW',
    })),
  );

/** Calls by a word, answers, and tells what came of it: the outcome, and what is on record. */
function called(capability: string) {
  const call = t.call({ target: { capability }, params: {} });
  const dispatch = t.received.pop();
  dispatch?.answer({});
  const record = t.audit.at(-1);
  return {
    dispatched: dispatch === undefined ? undefined : `${dispatch.instance.agent}:${dispatch.frame.capability}`,
    outcome: call.outcome?.ok === true ? 'OK' : call.outcome?.error,
    recorded: `${record?.target}:${record?.capability}`,
    alias: record?.details.alias,
  };
}

test('a call by an alias is judged and sent under the name, and both are on record', async () => {
  await t.join('a', { capabilities: [declared('order_query', ['find_order'])] });
  allow('order_query');
  expect(called('find_order')).toEqual({
    dispatched: 'shop/orders:order_query',
    outcome: 'OK',
    recorded: 'shop/orders:order_query',
    alias: 'find_order',
  });
  expect(called('order_query')).toMatchObject({ outcome: 'OK', alias: undefined });
});

test('a rule for the alias allows nothing: the missing rule is the one for the name', async () => {
  await t.join('a', { capabilities: [declared('order_query', ['find_order'])] });
  allow('find_order');
  expect(called('find_order')).toMatchObject({
    dispatched: undefined,
    outcome: { code: 'DENIED', details: { missing: { target: 'shop/orders', capability: 'order_query' } } },
  });
});

/** What ten calls by a word come to, wherever the lot falls. */
function tenTimes(capability: string): string[] {
  const seen = Array.from({ length: 10 }, (_, n) => {
    t.random = n / 10;
    const { dispatched, recorded, alias } = called(capability);
    return `sent to ${dispatched}, recorded as ${recorded}, alias ${alias}`;
  });
  return [...new Set(seen)].sort();
}

/** `orders` has an alias that is the name of a capability of `people`. */
async function joinBoth(): Promise<void> {
  await t.join('a', { capabilities: [declared('order_query', ['lookup'])] }, 'orders');
  await t.join('b', { agentType: 'shop.people', capabilities: [declared('lookup')] }, 'people');
}

test('one agent’s alias that is another’s name: each is reached only by who may call it under its own name', async () => {
  await joinBoth();
  allow('lookup');
  expect(tenTimes('lookup')).toEqual(['sent to shop/people:lookup, recorded as shop/people:lookup, alias undefined']);
  allow('order_query');
  expect(tenTimes('lookup')).toEqual([
    'sent to shop/orders:order_query, recorded as shop/orders:order_query, alias lookup',
  ]);
  allow('nothing');
  expect(called('lookup')).toMatchObject({ outcome: { code: 'DENIED' } });
});

test('who may call both reaches both, and the record tells which it was', async () => {
  await joinBoth();
  expect(tenTimes('lookup')).toEqual([
    'sent to shop/orders:order_query, recorded as shop/orders:order_query, alias lookup',
    'sent to shop/people:lookup, recorded as shop/people:lookup, alias undefined',
  ]);
});
