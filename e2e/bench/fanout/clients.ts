import { once } from 'node:events';
import { WebSocket } from 'ws';
import { takeOrders } from '../child-orders.js';
import { MortalAgent } from './agent.js';
import type { FanoutOrder, FanoutRound } from './orders.js';
import { Subscribers } from './subscribers.js';

/** The clients' process: the subscribers of both sides, and those whose death they hear of. */

/** As the console asks. */
const HEALTH = `subscription HealthChanges($after: String, $filter: HealthFilterInput) {
  healthChanges(after: $after, filter: $filter) {
    kind position reason
    instances {
      instance agent incarnation version lifecycle health reason capabilities zone inFlight queueDepth utilisation changedAt
    }
  }
}`;

const open = (url: string) => () => new WebSocket(url, { perMessageDeflate: false });

let floorUrl = '';
let floor: Subscribers | undefined;
let product: Subscribers | undefined;
let agent: MortalAgent | undefined;

takeOrders<FanoutOrder, FanoutRound>(async (order) => {
  switch (order.order) {
    case 'floor':
      floorUrl = order.url;
      floor = await Subscribers.open(order.subscribers, open(order.url), async () => {});
      return undefined;
    case 'product':
      agent = new MortalAgent(order.reachUrl, order.enrolmentKey);
      await agent.live();
      product = await subscribe(order);
      return undefined;
    case 'round':
      return order.side === 'floor' ? floorRound() : productRound();
  }
});

function subscribe({ graphqlUrl, token, subscribers }: Extract<FanoutOrder, { order: 'product' }>) {
  const connect = () => new WebSocket(graphqlUrl, 'graphql-transport-ws', { perMessageDeflate: false });
  return Subscribers.open(subscribers, connect, async (socket) => {
    socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } }));
    await once(socket, 'message');
    const payload = { query: HEALTH, variables: { filter: { namespace: 'bench' } } };
    socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }));
    const [data] = (await once(socket, 'message')) as [Buffer];
    if (!data.includes('SNAPSHOT')) throw new Error(`no snapshot, but ${data.toString()}`);
  });
}

async function productRound(): Promise<FanoutRound> {
  if (product === undefined || agent === undefined) throw new Error('the product was not connected');
  const mortal = agent;
  const times = await product.hear('OFFLINE', () => mortal.die());
  const text = product.last;
  const back = mortal.live();
  await product.hear('READY', () => {});
  await back;
  product.last = text;
  return { ...times, bytes: Buffer.byteLength(text) };
}

async function floorRound(): Promise<FanoutRound> {
  const text = product?.last ?? '';
  if (floor === undefined || text === '') throw new Error('a round of the product has to come first');
  const mortal = open(floorUrl)();
  await once(mortal, 'open');
  mortal.send(text);
  await once(mortal, 'message');
  const times = await floor.hear('OFFLINE', () => mortal.terminate());
  return { ...times, bytes: Buffer.byteLength(text) };
}
