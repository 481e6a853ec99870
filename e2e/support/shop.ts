import type { RegisterFrame } from '@agent-reach/sdk/protocol';
import type { RunningServer } from './server.js';
import { WireClient } from './wire-client.js';

/** Agents `orders` and `web` of the namespace `default`, with a token each, and a rule that lets web call orders. */
export interface Shop {
  readonly orders: string;
  readonly web: string;
  /** Id of the rule. */
  readonly rule: string;
}

export async function openShop(server: RunningServer): Promise<Shop> {
  const orders = await agentToken(server, 'orders', 'shop.orders');
  const web = await agentToken(server, 'web', 'shop.web');
  return { orders, web, rule: await allow(server, 'agent:default/web', 'default/orders', '*') };
}

/** Creates an agent of the namespace `default` and answers a token for it. */
export async function agentToken(server: RunningServer, id: string, type: string): Promise<string> {
  await server.graphql('mutation ($input: CreateAgentInput!) { createAgent(input: $input) { ref } }', {
    input: { namespace: 'default', id, type },
  });
  const { issueToken } = await server.graphql<{ issueToken: { secret: string } }>(
    'mutation ($input: IssueTokenInput!) { issueToken(input: $input) { secret } }',
    { input: { namespace: 'default', kind: 'AGENT', agent: `default/${id}`, name: 'test' } },
  );
  return issueToken.secret;
}

/** Adds an ALLOW rule; answers its id. */
export async function allow(
  server: RunningServer,
  caller: string,
  target: string,
  capability: string,
): Promise<string> {
  const { createPermission } = await server.graphql<{ createPermission: { id: string } }>(
    'mutation ($input: CreatePermissionInput!) { createPermission(input: $input) { id } }',
    { input: { caller, target, capability, effect: 'ALLOW' } },
  );
  return createPermission.id;
}

/** A registration of `orders` with the idempotent `order_query` and the non-idempotent `order_create`. */
export function ordersFrame(instance: string, overrides: Partial<RegisterFrame> = {}): RegisterFrame {
  return {
    type: 'register',
    id: `register-${instance}`,
    instance,
    version: '1.0.0',
    agentType: 'shop.orders',
    capabilities: [
      {
        name: 'order_query',
        aliases: ['find_order'],
        description: 'Use it to look up one order by its number; answers the order with its status.',
        inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
        outputSchema: { type: 'object', properties: { status: { type: 'string' } }, required: ['status'] },
        tags: ['read'],
        idempotent: true,
      },
      {
        name: 'order_create',
        description: 'Use it to place one order for a customer; answers the number of the new order.',
        inputSchema: { type: 'object', properties: { item: { type: 'string' } } },
      },
    ],
    ...overrides,
  };
}

/** Joins an instance of `orders` over a connection of its own and makes it READY. */
export async function joinOrders(server: RunningServer, token: string, instance = 'one'): Promise<WireClient> {
  const client = await WireClient.hello(server.apiUrl, token);
  client.send(ordersFrame(instance));
  await client.next('registered');
  client.send({ type: 'ready', instance: `default/orders/${instance}` });
  return client;
}
