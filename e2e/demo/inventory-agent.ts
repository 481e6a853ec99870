import { BusinessError } from '@agent-reach/sdk';
import { announce, joinFromEnvironment } from './join.js';
import { PRODUCTS, stockOf, work } from './shop.js';

const { agent, zone } = joinFromEnvironment({
  type: 'commerce.inventory',
  description: 'Knows what the warehouses hold, and sets pieces aside for orders.',
  owner: 'team-warehouse',
  labels: { tier: 'core' },
  maxConcurrency: 20,
});

const SKU = { type: 'string', pattern: '^[A-Z0-9-]{3,20}$', description: "The product's stock number." };
const QUANTITY = { type: 'integer', minimum: 1, maximum: 99, description: 'Pieces.' };

const minute = (): number => Math.floor(Date.now() / 60_000);

function stockOfKnown(sku: string): number {
  if (!PRODUCTS.some((product) => product.sku === sku))
    throw new BusinessError(`The shop does not sell ${sku}.`, { sku, reason: 'UNKNOWN_SKU' });
  return stockOf(sku, minute());
}

await agent
  .handle<{ sku: string }>(
    'inventory_check',
    {
      description:
        'Use it before promising a delivery: how many pieces of a product are free right now. Answers with the number ' +
        'of pieces and the zone that counted them; an unknown product is a business error.',
      input: { type: 'object', required: ['sku'], properties: { sku: SKU } },
      output: {
        type: 'object',
        required: ['sku', 'available', 'zone'],
        properties: { sku: { type: 'string' }, available: { type: 'integer' }, zone: { type: 'string' } },
      },
      tags: ['stock', 'read'],
      aliases: ['stock_check'],
      idempotent: true,
    },
    async ({ sku }, ctx) => {
      const available = stockOfKnown(sku);
      await work(5 + Math.random() * 25, ctx.signal);
      return { sku, available, zone };
    },
  )
  .handle<{ sku: string; quantity: number; orderId: string }>(
    'inventory_reserve',
    {
      description:
        'Use it when an order is placed: sets pieces aside for it. Answers with a reservation number; when too few ' +
        'pieces are free it is a business error that says how many there are.',
      input: {
        type: 'object',
        required: ['sku', 'quantity', 'orderId'],
        properties: { sku: SKU, quantity: QUANTITY, orderId: { type: 'string' } },
      },
      output: { type: 'object', required: ['reservation'], properties: { reservation: { type: 'string' } } },
      tags: ['stock', 'write'],
    },
    async ({ sku, quantity, orderId }, ctx) => {
      const available = stockOfKnown(sku);
      await work(15 + Math.random() * 45, ctx.signal);
      if (available < quantity)
        throw new BusinessError(`Only ${available} of ${sku} left.`, { sku, available, reason: 'OUT_OF_STOCK' });
      return { reservation: `res-${orderId}` };
    },
  )
  .handle<{ sku: string; delta: number }>(
    'inventory_adjust',
    {
      description:
        'Use it after a stocktaking, by warehouse staff only: corrects the number of pieces. Answers with the number ' +
        'after the correction.',
      input: {
        type: 'object',
        required: ['sku', 'delta'],
        properties: { sku: SKU, delta: { type: 'integer', minimum: -99, maximum: 99 } },
      },
      output: { type: 'object', required: ['available'], properties: { available: { type: 'integer' } } },
      tags: ['stock', 'write', 'staff'],
    },
    ({ sku, delta }) => ({ available: Math.max(0, stockOfKnown(sku) + delta) }),
  )
  .handle(
    'inventory_count',
    {
      description:
        'Use it to have a warehouse counted, shelf by shelf; takes about half a minute. Answers with the pieces of each ' +
        'product, and tells on the way which shelf it is at.',
      input: { type: 'object', properties: {} },
      output: { type: 'object', required: ['pieces'], properties: { pieces: { type: 'object' }, zone: {} } },
      tags: ['stock', 'read'],
      mode: 'TASK',
      idempotent: true,
    },
    async (_params, ctx) => {
      const pieces: Record<string, number> = {};
      for (const [index, { sku, name }] of PRODUCTS.entries()) {
        ctx.progress({ shelf: `${index + 1} of ${PRODUCTS.length}`, product: name });
        await work(3000 + Math.random() * 4000, ctx.signal);
        pieces[sku] = stockOfKnown(sku);
      }
      return { pieces, zone };
    },
  )
  .start();

announce();
