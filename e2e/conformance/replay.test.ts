import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Crew } from '../demo/crew.js';
import { setUp } from '../demo/setup.js';
import { NAMESPACE } from '../demo/shop.js';
import { Storefront } from '../demo/storefront.js';
import { type RunningServer, startServer } from '../support/server.js';

/** Enough for every kind of call; the customers of the demo write more often here. */
const CALLS = 150;
const MESSAGES_PER_SECOND = 25;

let server: RunningServer;
let crew: Crew;
/** A policy for what the demo's own policy is not for, so that each call is some policy's. */
let everything: string;
beforeAll(async () => {
  server = await startServer();
  const credentials = await setUp(server.graphql);
  everything = await createPolicy({ name: 'everything', content: {} });
  crew = new Crew(server.apiUrl, credentials, () => undefined);
  await crew.start();
  const storefront = new Storefront(server.apiUrl, credentials.storefront, MESSAGES_PER_SECOND);
  while ((await replay({ content: {} })).recorded < CALLS) await sleep(500);
  await storefront.stop();
});
afterAll(async () => {
  await crew.stop();
  await server.stop();
});

interface Replay {
  readonly recorded: number;
  readonly replayed: number;
  readonly concerned: number;
  readonly moved: number;
  readonly unknown: number;
  readonly recordedEvery: number;
}

async function createPolicy(policy: object): Promise<string> {
  const { createPolicy } = await server.graphql<{ createPolicy: { policy: { id: string } } }>(
    'mutation ($input: CreatePolicyInput!) { createPolicy(input: $input) { policy { id } } }',
    { input: { namespace: NAMESPACE, ...policy } },
  );
  return createPolicy.policy.id;
}

async function replay(draft: object): Promise<Replay> {
  const { replayDraft } = await server.graphql<{ replayDraft: Replay }>(
    `query ($draft: PolicyDraftInput!) {
       replayDraft(draft: $draft) { recorded replayed concerned moved unknown recordedEvery }
     }`,
    { draft: { namespace: NAMESPACE, ...draft } },
  );
  return replayDraft;
}

it('every recorded call of a demo run is explained to the choice that was made', async () => {
  const { policies } = await server.graphql<{
    policies: { nodes: { id: string; name: string; content: object }[] };
  }>('query ($namespace: String) { policies(namespace: $namespace) { nodes { id name content } } }', {
    namespace: NAMESPACE,
  });
  expect(policies.nodes.map(({ name }) => name).sort()).toEqual(['everything', 'orders-to-the-idle']);
  let explained = 0;
  let recorded = 0;
  for (const { id, content } of policies.nodes) {
    // A draft that says what the saved policy says decides anew what that one decided, with the states of then.
    const same = await replay({ id, content });
    expect(same).toMatchObject({ moved: 0, unknown: 0, recordedEvery: 1, replayed: same.recorded });
    explained += same.concerned;
    recorded = same.recorded;
  }
  expect(explained).toBe(recorded);
});

it('a draft that sends everything to one agent moves what went elsewhere', async () => {
  const content = { match: { capability: 'order_query' }, candidates: [`${NAMESPACE}/order-us`] };
  const moved = await replay({ name: 'draft', content });
  expect(moved.concerned).toBeGreaterThan(0);
  expect(moved.concerned).toBeLessThan(moved.replayed);
  expect(moved.moved).toBeGreaterThan(0);
  expect(moved.moved).toBeLessThanOrEqual(moved.concerned);
});

it('a draft in place of another replays only that one’s calls as concerned', async () => {
  const other = await replay({ id: everything, content: { match: { capability: 'session_message' } } });
  expect(other.concerned).toBeGreaterThan(0);
  expect(other.unknown).toBe(0);
});
