import { type CallRequest, type HandlerContext, ReachError } from '@agent-reach/sdk';
import { announce, joinFromEnvironment } from './join.js';

const { agent } = joinFromEnvironment({
  type: 'service.session',
  description: 'Talks with customers and gets done for them what they ask.',
  owner: 'team-service',
  labels: { tier: 'edge' },
  maxConcurrency: 50,
});

interface Message {
  readonly customerId: string;
  readonly intent: 'TRACK' | 'BUY' | 'REPORT' | 'REFUND' | 'CORRECT_STOCK';
  readonly orderId?: string;
  readonly sku?: string;
  readonly quantity?: number;
}

/** What a wish of a customer becomes. The last two are not for this agent to do, and the rules say so. */
function requestFor({ customerId, intent, orderId = 'A-1001', sku = 'MUG-BLUE', quantity = 1 }: Message): CallRequest {
  switch (intent) {
    case 'TRACK':
      return { capability: 'order_query', params: { orderId }, timeoutMs: 5000 };
    case 'BUY':
      return { capability: 'order_create', params: { customerId, sku, quantity }, timeoutMs: 8000 };
    case 'REPORT':
      return { type: 'commerce.order', capability: 'order_report', params: { days: 7 }, timeoutMs: 10_000 };
    case 'REFUND':
      return { capability: 'order_refund', params: { orderId, cents: 1250 }, timeoutMs: 5000 };
    case 'CORRECT_STOCK':
      return { agent: 'inventory', capability: 'inventory_adjust', params: { sku, delta: 1 }, timeoutMs: 5000 };
  }
}

/** A customer gets an answer whatever happened behind it: a refusal is an answer too. */
async function answer(message: Message, ctx: HandlerContext): Promise<{ outcome: string; text: string }> {
  try {
    const result = await ctx.call(requestFor(message));
    return { outcome: 'DONE', text: JSON.stringify(result) };
  } catch (error) {
    if (error instanceof ReachError && (error.code === 'BUSINESS_ERROR' || error.code === 'DENIED'))
      return { outcome: error.code, text: error.message };
    throw error;
  }
}

await agent
  .handle<Message & Record<string, unknown>>(
    'session_message',
    {
      description:
        'Use it for each message of a customer: does what the customer wants with the help of other agents. Answers ' +
        'with DONE and the result, or with the reason why it is not possible.',
      input: {
        type: 'object',
        required: ['customerId', 'intent'],
        properties: {
          customerId: { type: 'string', pattern: '^c-[0-9]+$' },
          intent: { enum: ['TRACK', 'BUY', 'REPORT', 'REFUND', 'CORRECT_STOCK'] },
          orderId: { type: 'string' },
          sku: { type: 'string' },
          quantity: { type: 'integer', minimum: 1, maximum: 20 },
        },
      },
      output: {
        type: 'object',
        required: ['outcome', 'text'],
        properties: { outcome: { enum: ['DONE', 'BUSINESS_ERROR', 'DENIED'] }, text: { type: 'string' } },
      },
      tags: ['session'],
    },
    answer,
  )
  .start();

announce();
