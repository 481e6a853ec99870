import type { CapabilityDeclaration } from '@agent-reach/sdk/protocol';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TestRegistry, testLink } from '../testing.js';
import { TextIndex } from './text-index.js';

const WEB = { caller: 'agent:shop/web', roles: [] } as const;

const declared = (name: string, description: string): CapabilityDeclaration => ({
  name,
  description,
  inputSchema: { type: 'object', properties: {} },
});
const REFUND = declared('refund', 'Use it to give money back to a customer.');
const WEATHER = declared('weather', 'Use it for the weather of the coming days.');

let t: TestRegistry;
beforeEach(() => {
  t = new TestRegistry();
});
afterEach(() => vi.restoreAllMocks());

const found = (text: string) => t.registry.lookup.find(text, WEB, 'shop', 10).map(({ capability }) => capability);

test('what an instance offers is found as soon as it joined, and no longer when the last one left', async () => {
  expect(found('money back')).toEqual([]);
  const [one, two] = [testLink('one'), testLink('two')];
  await t.join({ instance: 'one', capabilities: [REFUND] }, 'inc-1', one);
  await t.join({ instance: 'two', capabilities: [REFUND] }, 'inc-2', two);
  expect(found('money back')).toEqual(['refund']);
  t.registry.goodbye('shop/orders/one', one);
  expect(found('money back')).toEqual(['refund']);
  t.registry.goodbye('shop/orders/two', two);
  expect(found('money back')).toEqual([]);
});

test('a lost lease takes it away at once, and the same process brings it back', async () => {
  const link = testLink('one');
  await t.ready({ capabilities: [REFUND] }, 'inc-1', link);
  t.registry.linkClosed(link, ['shop/orders/one']);
  expect(found('money back')).toEqual([]);
  await t.join({ capabilities: [REFUND] }, 'inc-1', testLink('again'));
  expect(found('money back')).toEqual(['refund']);
  t.pass(20_000);
  expect(found('money back')).toEqual([]);
});

test('another incarnation, or the same one again, replaces all that was offered before', async () => {
  await t.ready({ version: '1.0.0', capabilities: [REFUND] }, 'inc-1', testLink('a'));
  await t.ready({ version: '2.0.0', capabilities: [WEATHER] }, 'inc-2', testLink('b'));
  expect([found('money back'), found('weather')]).toEqual([[], ['weather']]);
  await t.ready({ version: '3.0.0', capabilities: [REFUND] }, 'inc-2', testLink('b'));
  expect([found('money back'), found('weather')]).toEqual([['refund'], []]);
});

test('an agent offers the union over its live instances, each with the texts of its version', async () => {
  const old = testLink('old');
  await t.ready({ instance: 'old', version: '1.0.0', capabilities: [REFUND] }, 'inc-1', old);
  const better = declared('refund', 'Use it to reimburse a customer, whole or in part.');
  await t.ready({ instance: 'new', version: '2.0.0', capabilities: [better, WEATHER] }, 'inc-2', testLink('new'));
  expect([found('money back'), found('reimburse'), found('weather')]).toEqual([['refund'], ['refund'], ['weather']]);
  t.registry.goodbye('shop/orders/old', old);
  expect([found('money back'), found('reimburse')]).toEqual([[], ['refund']]);
});

test('a deleted agent offers nothing', async () => {
  await t.ready({ capabilities: [REFUND] });
  t.registry.removeAgent('shop/orders');
  expect(found('money back')).toEqual([]);
});

test('a paused or draining instance is still found: its call says why it does not go through', async () => {
  await t.ready({ capabilities: [REFUND] });
  t.registry.pause('shop/orders/one', 'user:ann', '');
  expect(found('money back')).toEqual(['refund']);
  t.registry.resume('shop/orders/one', 'user:ann');
  t.registry.drain('shop/orders/one', 'user:ann', '');
  expect(found('money back')).toEqual(['refund']);
});

test('what is known from before a restart is found when the instance is heard', async () => {
  await t.ready({ capabilities: [REFUND] });
  const agent = t.registry.agent('shop/orders');
  const restarted = new TestRegistry();
  if (agent === undefined) throw new Error('no agent');
  restarted.registry.putAgent(agent);
  const { record } = [...t.registry.live()][0] ?? {};
  if (record === undefined) throw new Error('no instance');
  restarted.registry.restoreInstance(record);
  t = restarted;
  expect(found('money back')).toEqual([]);
  await t.join({ capabilities: [REFUND] }, 'inc-1', testLink('back'));
  expect(found('money back')).toEqual(['refund']);
});

test('10,000 instances of one agent cost one indexing, and what operators change costs none', async () => {
  const added = vi.spyOn(TextIndex.prototype, 'add');
  const removed = vi.spyOn(TextIndex.prototype, 'remove');
  const link = testLink('all');
  for (let n = 0; n < 10_000; n++)
    await t.join({ instance: `i${n}`, capabilities: [REFUND, WEATHER] }, `inc-${n}`, link);
  expect(added).toHaveBeenCalledTimes(2);
  const agent = t.registry.agent('shop/orders');
  if (agent === undefined) throw new Error('no agent');
  t.registry.putAgent({ ...agent, settings: { ...agent.settings, weight: 50 } });
  for (let n = 1; n < 10_000; n++) t.registry.goodbye(`shop/orders/i${n}`, link);
  expect(added).toHaveBeenCalledTimes(2);
  expect(removed).not.toHaveBeenCalled();
  expect(found('weather')).toEqual(['weather']);
});

test('agents that describe the same capability alike share its text, while one of them is there', async () => {
  const added = vi.spyOn(TextIndex.prototype, 'add');
  const links = ['a', 'b', 'c'].map((id) => testLink(id));
  for (const link of links) await t.ready({ capabilities: [REFUND] }, `inc-${link.id}`, link, `agent-${link.id}`);
  expect(added).toHaveBeenCalledTimes(1);
  for (const link of links.slice(1)) t.registry.goodbye(`shop/agent-${link.id}/one`, link);
  expect(found('money back')).toEqual(['refund']);
  t.registry.goodbye('shop/agent-a/one', links[0] ?? testLink('none'));
  expect(found('money back')).toEqual([]);
});

test('a capability that only another agent may be called for is found through that agent alone', async () => {
  t.registry.setPermissions([
    { id: 'r', namespace: 'shop', caller: 'agent:shop/web', target: 'shop/second', capability: '*', effect: 'ALLOW' },
  ]);
  await t.ready({ capabilities: [REFUND] }, 'inc-1', testLink('a'), 'first');
  expect(found('money back')).toEqual([]);
  await t.ready({ capabilities: [REFUND] }, 'inc-2', testLink('b'), 'second');
  expect(found('money back')).toEqual(['refund']);
});
