import { BusinessError } from '@agent-reach/sdk';
import { announce, joinFromEnvironment } from './join.js';
import { orderOf, work } from './shop.js';

const { agent } = joinFromEnvironment({
  type: 'commerce.order',
  description: 'Takes orders and knows where each of them is.',
  owner: 'team-checkout',
  labels: { tier: 'core' },
  maxConcurrency: 8,
  maxQueue: 4,
});

/** One instance has a bad quarter of a minute in every ninety seconds: slow work, and it says that it is loaded. */
const CYCLE_MS = 90_000;
const STRAIN_MS = 15_000;
const strained = (): boolean => process.env.DEMO_STRAINED === 'true' && Date.now() % CYCLE_MS < STRAIN_MS;

const ORDER_ID = { type: 'string', pattern: '^A-[0-9]{4,8}$', description: 'Order number, such as A-1017.' };
let nextOrder = 100_000 + Math.floor(Math.random() * 800_000);

await agent
  .handle<{ orderId: string }>(
    'order_query',
    {
      description:
        'Use it when a customer asks where an order is. Answers with its state (PAID, PACKED, SHIPPED, DELIVERED), ' +
        'product and quantity; an unknown order number is a business error.',
      input: { type: 'object', required: ['orderId'], properties: { orderId: ORDER_ID } },
      output: {
        type: 'object',
        required: ['orderId', 'state', 'sku', 'quantity'],
        properties: {
          orderId: { type: 'string' },
          state: { enum: ['PAID', 'PACKED', 'SHIPPED', 'DELIVERED'] },
          sku: { type: 'string' },
          quantity: { type: 'integer' },
        },
      },
      tags: ['order', 'read'],
      aliases: ['order_status'],
      idempotent: true,
    },
    async ({ orderId }, ctx) => {
      await work((strained() ? 400 : 10) + Math.random() * 40, ctx.signal);
      const order = orderOf(orderId);
      if (order === undefined) throw new BusinessError(`There is no order ${orderId}.`, { orderId });
      return { orderId, ...order };
    },
  )
  .handle<{ customerId: string; sku: string; quantity: number }>(
    'order_create',
    {
      description:
        'Use it when a customer has decided to buy: checks the stock, reserves the pieces and books the order. Answers ' +
        'with the order number; a product that is sold out is a business error. Not repeatable: every call is an order.',
      input: {
        type: 'object',
        required: ['customerId', 'sku', 'quantity'],
        properties: {
          customerId: { type: 'string', pattern: '^c-[0-9]+$' },
          sku: { type: 'string' },
          quantity: { type: 'integer', minimum: 1, maximum: 20 },
        },
      },
      output: {
        type: 'object',
        required: ['orderId', 'reservation'],
        properties: { orderId: { type: 'string' }, reservation: { type: 'string' } },
      },
      tags: ['order', 'write'],
    },
    async ({ sku, quantity }, ctx) => {
      nextOrder += 1;
      const orderId = `A-${nextOrder}`;
      const { available } = await ctx.call<{ available: number }>({ capability: 'inventory_check', params: { sku } });
      if (available === 0) throw new BusinessError(`${sku} is sold out.`, { sku, reason: 'OUT_OF_STOCK' });
      await work(strained() ? 600 : 30, ctx.signal);
      const { reservation } = await ctx.call<{ reservation: string }>({
        capability: 'inventory_reserve',
        params: { sku, quantity, orderId },
      });
      return { orderId, reservation };
    },
  )
  .handle<{ days: number }>(
    'order_report',
    {
      description:
        'Use it for the sales overview of the last days; takes some seconds. Answers with the number of orders and the ' +
        'turnover in cents.',
      input: { type: 'object', required: ['days'], properties: { days: { type: 'integer', minimum: 1, maximum: 90 } } },
      output: {
        type: 'object',
        required: ['orders', 'turnoverCents'],
        properties: { orders: { type: 'integer' }, turnoverCents: { type: 'integer' } },
      },
      tags: ['order', 'read', 'slow'],
      idempotent: true,
    },
    async ({ days }, ctx) => {
      await work(1500 + Math.random() * 2000, ctx.signal);
      return { orders: days * 41, turnoverCents: days * 41 * 2830 };
    },
  )
  .handle<{ orderId: string; cents: number }>(
    'order_refund',
    {
      description:
        'Use it to pay money back for an order; people of the service desk decide that, not agents. Answers with the ' +
        'number of the refund.',
      input: {
        type: 'object',
        required: ['orderId', 'cents'],
        properties: { orderId: ORDER_ID, cents: { type: 'integer', minimum: 1 } },
      },
      output: { type: 'object', required: ['refund'], properties: { refund: { type: 'string' } } },
      tags: ['order', 'money'],
    },
    ({ orderId }) => {
      if (orderOf(orderId) === undefined) throw new BusinessError(`There is no order ${orderId}.`, { orderId });
      return { refund: `ref-${orderId}` };
    },
  )
  .start();

announce();

if (process.env.DEMO_STRAINED === 'true') {
  let told = false;
  const timer = setInterval(() => {
    if (strained() === told) return;
    told = !told;
    agent.reportLoad({ busy: told ? 0.85 : 0.2 });
  }, 1000);
  const stop = (): void => clearInterval(timer);
  agent.stopped.then(stop, stop);
}
