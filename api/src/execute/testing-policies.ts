import { DEFAULT_POLICY_CONTENT, type Policy, type PolicyContent } from '@agent-reach/sdk/decide';
import type { RegisterFrame } from '@agent-reach/sdk/protocol';

/** The one policy of namespace `shop`, with what a test is about. */
export function policyWith(content: Partial<PolicyContent>): Policy {
  return {
    id: 'p1',
    namespace: 'shop',
    name: 'orders',
    version: 1,
    content: { ...DEFAULT_POLICY_CONTENT, ...content },
    rolloutPercent: 100,
    stable: undefined,
  };
}

type Capability = RegisterFrame['capabilities'][number];

/** What may not be executed twice. */
export const ORDER_CREATE: Capability = {
  name: 'order_create',
  description: 'Use it to place one order for a customer; answers the number of the order.',
  inputSchema: { type: 'object', properties: { item: { type: 'string' } } },
};

/** The same, whose completion comes later. */
export const ORDER_PACK: Capability = {
  name: 'order_pack',
  description: 'Use it to have one order packed; answers the number of the parcel, when it is packed.',
  inputSchema: { type: 'object', properties: { item: { type: 'string' } } },
  mode: 'TASK',
};

/** Looked up, and remembered for ten seconds. */
export const PRICE_QUERY: Capability = {
  name: 'price_query',
  description: 'Use it to look up the price of one item; answers the price in cents.',
  inputSchema: { type: 'object', properties: { item: { type: 'string' } } },
  idempotent: true,
  cacheTtlMs: 10_000,
};
