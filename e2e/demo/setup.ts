import { type Graphql, GraphqlError } from '../support/graphql.js';
import { NAMESPACE } from './shop.js';

/** The logical agents of the demo. */
export const AGENTS = [
  {
    id: 'order-eu',
    type: 'commerce.order',
    owner: 'team-checkout',
    description: 'Takes orders of European customers.',
  },
  {
    id: 'order-us',
    type: 'commerce.order',
    owner: 'team-checkout',
    description: 'Takes orders of American customers.',
  },
  {
    id: 'inventory',
    type: 'commerce.inventory',
    owner: 'team-warehouse',
    description: 'Knows what the warehouses hold, and sets pieces aside for orders.',
  },
  {
    id: 'session',
    type: 'service.session',
    owner: 'team-service',
    description: 'Talks with customers and gets done for them what they ask.',
  },
] as const;

export type AgentId = (typeof AGENTS)[number]['id'];

const STOREFRONT = 'storefront';
const TOKEN_NAME = 'demo';

const caller = (id: string): string => `agent:${NAMESPACE}/${id}`;
const target = (id: string): string => `${NAMESPACE}/${id}`;

const RULES = [
  [
    `app:${NAMESPACE}/${STOREFRONT}`,
    target('session'),
    'session_message',
    'ALLOW',
    'Customers write to the session agents.',
  ],
  [
    `app:${NAMESPACE}/${STOREFRONT}`,
    target('inventory'),
    'inventory_count',
    'ALLOW',
    'The shop has its stock counted.',
  ],
  [caller('session'), target('order-*'), 'order_query', 'ALLOW', 'Customers may ask where their orders are.'],
  [caller('session'), target('order-*'), 'order_create', 'ALLOW', 'Customers may buy.'],
  [caller('session'), target('order-*'), 'order_report', 'ALLOW', 'The sales overview is shown to staff.'],
  [caller('session'), target('order-*'), 'order_refund', 'DENY', 'People of the service desk decide about refunds.'],
  [caller('order-*'), target('inventory'), 'inventory_check', 'ALLOW', 'Orders need to know the stock.'],
  [caller('order-*'), target('inventory'), 'inventory_reserve', 'ALLOW', 'Orders set pieces aside.'],
] as const;

/** The secrets that the demo's processes join with. */
export interface Credentials {
  readonly agents: ReadonlyMap<AgentId, string>;
  readonly storefront: string;
}

/** Makes what the demo needs and is not there yet. Running it again changes nothing but the tokens, which are new. */
export async function setUp(graphql: Graphql): Promise<Credentials> {
  await unlessThere(() =>
    graphql('mutation ($input: CreateNamespaceInput!) { createNamespace(input: $input) { id } }', {
      input: { id: NAMESPACE, description: 'A small shop: sessions, orders, inventory.' },
    }),
  );
  const secrets = new Map<AgentId, string>();
  for (const agent of AGENTS) {
    await unlessThere(() =>
      graphql('mutation ($input: CreateAgentInput!) { createAgent(input: $input) { ref } }', {
        input: { namespace: NAMESPACE, ...agent },
      }),
    );
    secrets.set(agent.id, await newToken(graphql, { kind: 'AGENT', agent: agent.id, name: TOKEN_NAME }));
  }
  for (const [from, to, capability, effect, comment] of RULES)
    await unlessThere(() =>
      graphql('mutation ($input: CreatePermissionInput!) { createPermission(input: $input) { id } }', {
        input: { namespace: NAMESPACE, caller: from, target: to, capability, effect, comment },
      }),
    );
  await unlessThere(() =>
    graphql('mutation ($input: CreatePolicyInput!) { createPolicy(input: $input) { policy { id } } }', {
      input: {
        namespace: NAMESPACE,
        name: 'orders-to-the-idle',
        content: { match: { capability: 'order_*' }, strategy: { name: 'LEAST_IN_FLIGHT' }, timeoutMs: 6000 },
        comment: 'Orders take unequal time: the instance with the fewest open calls gets the next one.',
      },
    }),
  );
  const storefront = await newToken(graphql, { kind: 'APP', name: STOREFRONT, role: 'VIEWER' });
  return { agents: secrets, storefront };
}

/** A secret is shown once, so each run gets a new token in place of the last run's. */
async function newToken(graphql: Graphql, input: Readonly<Record<string, string>>): Promise<string> {
  const { tokens } = await graphql<{ tokens: { nodes: { id: string; name: string; revokedAt: string | null }[] } }>(
    'query ($namespace: String, $agent: String) { tokens(namespace: $namespace, agent: $agent, first: 200) ' +
      '{ nodes { id name revokedAt } } }',
    { namespace: NAMESPACE, agent: input.agent ?? null },
  );
  for (const { id, name, revokedAt } of tokens.nodes)
    if (name === input.name && revokedAt === null)
      await graphql('mutation ($id: ID!) { revokeToken(id: $id) { id } }', { id });
  const { issueToken } = await graphql<{ issueToken: { secret: string } }>(
    'mutation ($input: IssueTokenInput!) { issueToken(input: $input) { secret } }',
    { input: { namespace: NAMESPACE, ...input } },
  );
  return issueToken.secret;
}

async function unlessThere(create: () => Promise<unknown>): Promise<void> {
  try {
    await create();
  } catch (error) {
    if (!(error instanceof GraphqlError) || error.code !== 'CONFLICT') throw error;
  }
}
