import { describe, expect, it } from 'vitest';
import { endpointOf } from '../endpoints/endpoint-check.js';
import { HttpLink } from '../endpoints/http-link.js';
import type { AgentRecord } from '../model.js';
import { registerFrame, TestRegistry, testLink } from '../testing.js';
import { type ChecklistFacts, checklistOf } from './checklist.js';

const ALLOW = {
  id: 'all',
  namespace: 'shop',
  caller: 'agent:shop/web',
  target: '*',
  capability: '*',
  effect: 'ALLOW',
} as const;

/** What is missing (`-`), done (`+`) or advised (`~`) of `shop/orders` in a registry. */
function told(t: TestRegistry, facts: Partial<ChecklistFacts> = {}, change: Partial<AgentRecord['settings']> = {}) {
  const agent = t.registry.agent('shop/orders');
  if (agent === undefined) throw new Error('the agent is known');
  const items = checklistOf({
    agent: { ...agent, settings: { ...agent.settings, ...change } },
    instances: t.registry.instances('shop/orders'),
    rules: [ALLOW],
    now: t.clock.wall(),
    hasToken: true,
    wasCalled: false,
    ...facts,
  });
  return items.map(({ item, done, advice, text }) => `${done ? '+' : advice ? '~' : '-'} ${item}: ${text}`);
}

/** A registry in which the agent was created and nothing has registered. */
async function created(): Promise<TestRegistry> {
  const t = new TestRegistry();
  await t.join();
  const agent = t.registry.agent('shop/orders');
  if (agent === undefined) throw new Error('the agent is known');
  t.registry.removeAgent(agent.ref);
  t.registry.putAgent({ ...agent, versions: new Map() });
  return t;
}

describe('the checklist of an agent', () => {
  it('that was only created names all that it lacks', async () => {
    expect(told(await created(), { rules: [], hasToken: false })).toEqual([
      '- CREDENTIAL: It has no live token to join with.',
      '- CONNECTED: No instance is connected.',
      '- DECLARED: It has declared no capability; an instance does that as it registers.',
      '- READY: No instance is READY.',
      '+ IN_SERVICE: No operator holds it back; its weight is 100.',
      '- PERMITTED: No permission rule lets anybody call it.',
      '- CALLED: No call of it has succeeded yet.',
    ]);
  });

  it('that works has all', async () => {
    const t = new TestRegistry();
    const [capability] = registerFrame().capabilities;
    const inputSchema = { type: 'object', properties: { id: { type: 'string', description: 'Its number.' } } };
    if (capability === undefined) throw new Error('it has one');
    await t.ready({ capabilities: [{ ...capability, inputSchema }] });
    expect(told(t, { wasCalled: true })).toEqual([
      '+ CREDENTIAL: It has a token to join with.',
      '+ CONNECTED: one is connected.',
      '+ DECLARED: It can do order_query.',
      '+ DESCRIBED: Its schemas say what goes in and what comes out.',
      '+ READY: one is READY.',
      '+ IN_SERVICE: No operator holds it back; its weight is 100.',
      '+ IN_PRODUCTION: Version 1.0.0 is in PRODUCTION.',
      '+ PERMITTED: agent:shop/web may call order_query.',
      '+ CALLED: Calls of it have succeeded.',
    ]);
  });

  it('says why an instance gets no calls', async () => {
    const t = new TestRegistry();
    const link = testLink('link');
    const { instance } = await t.join({ startupGraceMs: 3_000 }, 'inc-1', link);
    expect(told(t)).toContain('- READY: one is STARTING: registered, in its startup grace.');
    t.registry.pause(instance.ref, 'user:ann', 'holiday');
    expect(told(t)).toContain('- READY: one is PAUSED: holiday.');
    t.registry.linkClosed(link, [instance.ref]);
    expect(told(t)).toEqual(
      expect.arrayContaining([
        '- CONNECTED: one is SUSPECT and OFFLINE: connection closed.',
        '+ DECLARED: It can do order_query.',
        '- READY: No instance is READY.',
      ]),
    );
  });

  it('of an endpoint says why it is not reached yet', async () => {
    const t = new TestRegistry();
    const endpoint = endpointOf({ url: 'http://agent.test/' });
    const { instance } = await t.join({}, 'inc-1', new HttpLink('link'), 'orders', endpoint);
    t.registry.notReached(instance, 'not reached yet: /health answered with status 404');
    expect(told(t, { hasToken: false })).toEqual(
      expect.arrayContaining([
        '+ CREDENTIAL: It was let in.',
        '+ CONNECTED: one is registered as an HTTP endpoint.',
        '- VERIFIED: one is PENDING and OFFLINE: not reached yet: /health answered with status 404.',
        '- READY: one waits to be verified.',
      ]),
    );
    t.registry.reached(instance, new HttpLink('link'));
    expect(told(t)).toContain('+ VERIFIED: The server has reached its health path.');
  });

  it('says what operators hold back', async () => {
    const t = new TestRegistry();
    await t.ready();
    expect(told(t, {}, { weight: 0 })).toContain('- IN_SERVICE: Its weight is 0, which means no new work.');
    expect(told(t, {}, { paused: true })).toContain(
      '- IN_SERVICE: An operator paused it: it gets no call until it is resumed.',
    );
    const agent = t.registry.agent('shop/orders');
    const version = agent?.versions.get('1.0.0');
    if (agent === undefined || version === undefined) throw new Error('it is registered');
    const versions = new Map([['1.0.0', { ...version, domain: 'CANARY' as const }]]);
    expect(told(t, { agent: { ...agent, versions } })).toContain(
      '- IN_PRODUCTION: Version 1.0.0 is in CANARY: only callers of that domain and what a policy splits off reach it.',
    );
  });

  it('names the rule that outweighs all that allow it', async () => {
    const t = new TestRegistry();
    await t.ready();
    const deny = { ...ALLOW, id: 'no', caller: '*', target: 'shop/orders', effect: 'DENY' } as const;
    expect(told(t, { rules: [ALLOW, deny] })).toContain(
      '- PERMITTED: The rule DENY * → shop/orders:* outweighs those that allow it.',
    );
  });

  it('advises on what capabilities leave unsaid', async () => {
    const t = new TestRegistry();
    await t.ready();
    expect(told(t)).toContain(
      '~ DESCRIBED: order_query has parameters without a description: id. It is found by them.',
    );
    const [{ outputSchema: _, ...silent }] = registerFrame().capabilities as [
      ReturnType<typeof registerFrame>['capabilities'][number],
    ];
    await t.ready({ version: '2.0.0', capabilities: [silent] }, 'inc-2', testLink('other'));
    expect(told(t)).toContain(
      "~ DESCRIBED: order_query declares no outputSchema: any answer of it counts, and callers can't know what comes.",
    );
  });
});
