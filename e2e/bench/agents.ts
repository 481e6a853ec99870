import { randomUUID } from 'node:crypto';
import { takeOrders } from './child-orders.js';
import { Line } from './line.js';
import type { JoinOrder } from './messages.js';
import { CAPABILITY, DURABLE_CAPABILITY, PAYLOAD } from './payload.js';

/**
 * The agents' process: each agent is one connection with one instance. The same code on both sides, but for the names
 * of the frames; every call is answered within the turn in which it came.
 */
interface Incoming {
  readonly type: string;
  readonly requestId?: string;
  readonly dispatchId?: string;
  readonly beatMs?: number;
  readonly agent?: string;
  readonly instance?: string;
  readonly error?: { readonly code: string; readonly message: string };
}

const RESULT_TAIL = `"ok":true,"result":{"text":"${PAYLOAD}"}}`;

takeOrders<JoinOrder>(async ({ side, url, token, agents }) => {
  const join = side === 'product' ? joinProduct : joinFloor;
  // A few at a time: the start is not what is measured.
  for (let next = 0; next < agents; next += 20)
    await Promise.all(
      Array.from({ length: Math.min(20, agents - next) }, (_, index) => join(url, token, next + index)),
    );
  return undefined;
});

async function joinFloor(url: string): Promise<void> {
  const joined = answer();
  const line = await Line.open(url, (text, from) => {
    const frame = JSON.parse(text) as Incoming;
    if (frame.type === 'call') from.send(`{"type":"result","requestId":"${frame.requestId}",${RESULT_TAIL}`);
    else joined.resolve();
  });
  line.send('{"type":"join"}');
  await joined.promise;
}

async function joinProduct(url: string, token: string, number: number): Promise<void> {
  const joined = answer();
  const line = await Line.open(url, (text, from) => {
    const frame = JSON.parse(text) as Incoming;
    switch (frame.type) {
      case 'dispatch':
        from.send(`{"type":"result","dispatchId":"${frame.dispatchId}",${RESULT_TAIL}`);
        return;
      case 'welcome':
        from.send(JSON.stringify(registration(number)));
        return;
      case 'registered': {
        const instance = `${frame.agent}/${frame.instance}`;
        from.send(JSON.stringify({ type: 'ready', instance }));
        const beat = JSON.stringify({ type: 'heartbeat', instances: [{ instance }] });
        setInterval(() => from.send(beat), 4000);
        joined.resolve();
        return;
      }
      case 'error':
        joined.reject(new Error(`agent ${number}: ${frame.error?.code} ${frame.error?.message}`));
        return;
      default:
        return;
    }
  });
  line.send(JSON.stringify({ type: 'hello', protocol: 1, token, incarnation: randomUUID() }));
  await joined.promise;
}

function registration(number: number): Record<string, unknown> {
  const text = { type: 'object', properties: { text: { type: 'string', maxLength: 1000 } }, required: ['text'] };
  return {
    type: 'register',
    id: 'join',
    agent: `worker-${String(number).padStart(4, '0')}`,
    instance: 'a',
    version: '1.0.0',
    agentType: 'bench.worker',
    description: 'An agent of the benchmark.',
    capabilities: [CAPABILITY, DURABLE_CAPABILITY].map((name) => ({
      name,
      description: 'Use it to measure the way of a call; answers with a text of the same length.',
      inputSchema: text,
      outputSchema: text,
      idempotent: name === CAPABILITY,
    })),
    maxConcurrency: 1000,
  };
}

function answer(): { promise: Promise<void>; resolve: () => void; reject: (error: Error) => void } {
  let resolve: () => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
