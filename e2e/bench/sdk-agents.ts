import { connect } from '@agent-reach/sdk';
import { takeOrders } from './child-orders.js';
import type { JoinOrder } from './messages.js';
import { PAYLOAD, SDK_CAPABILITY } from './payload.js';

/** As agents.ts, with the SDK: one connection and one instance each. */
const TEXT = { type: 'object', properties: { text: { type: 'string', maxLength: 1000 } }, required: ['text'] } as const;

takeOrders<JoinOrder>(async ({ url, token, agents }) => {
  for (let next = 0; next < agents; next += 20)
    await Promise.all(
      Array.from({ length: Math.min(20, agents - next) }, (_, index) => join(url, token, next + index)),
    );
  return undefined;
});

async function join(url: string, token: string, number: number): Promise<void> {
  await connect({ url, token, drainOn: [], log: () => undefined })
    .agent({
      id: `sdk-${String(number).padStart(4, '0')}`,
      instance: 'a',
      type: 'bench.worker',
      version: '1.0.0',
      description: 'An agent of the benchmark, made with the SDK.',
      maxConcurrency: 1000,
    })
    .handle(
      SDK_CAPABILITY,
      {
        description: 'Use it to measure the way of a call; answers with a text of the same length.',
        input: TEXT,
        output: TEXT,
        idempotent: true,
      },
      () => ({ text: PAYLOAD }),
    )
    .start();
}
