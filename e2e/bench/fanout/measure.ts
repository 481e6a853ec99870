import type { Side } from '../messages.js';
import type { Product } from '../product.js';
import { significant, table } from '../report.js';
import { median } from '../statistics.js';
import { Worker } from '../worker.js';
import type { FanoutOrder, FanoutRound } from './orders.js';

const SUBSCRIBERS = 1_000;
const ROUNDS = 30;
/** Until what is hot is compiled. */
const WARM_UP_ROUNDS = 10;

export type Fanout = Readonly<Record<Side, readonly FanoutRound[]>>;

/**
 * From the death of an agent's socket to the last of 1,000 GraphQL subscribers of health knowing it, beside a bare
 * broadcast of the same bytes to as many sockets of the same process. Product and floor take turns.
 */
export async function measureFanout({ server, url, enrolmentKey, callerToken }: Product): Promise<Fanout> {
  const floor = Worker.start('fanout/floor.js');
  const clients = Worker.start('fanout/clients.js');
  try {
    const port = await floor.firstMessage();
    const order = (what: FanoutOrder) => clients.order<FanoutRound>(what);
    await order({ order: 'floor', url: `ws://127.0.0.1:${port}`, subscribers: SUBSCRIBERS });
    await order({
      order: 'product',
      graphqlUrl: `${server.apiUrl.replace('http', 'ws')}/graphql`,
      reachUrl: url,
      token: callerToken,
      enrolmentKey,
      subscribers: SUBSCRIBERS,
    });
    const rounds: Record<Side, FanoutRound[]> = { product: [], floor: [] };
    for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1)
      for (const side of ['product', 'floor'] as const) {
        const measured = await order({ order: 'round', side });
        if (measured !== undefined && round >= 0) rounds[side].push(measured);
      }
    return rounds;
  } finally {
    await clients.stop();
    await floor.stop();
  }
}

const lastOf = (rounds: readonly FanoutRound[]): number => median(rounds.map(({ lastMs }) => lastMs));

export function figuresOfFanout({ product, floor }: Fanout): Record<string, number> {
  return {
    fanout_ratio_1000: lastOf(product) / lastOf(floor),
    fanout_ms_1000: lastOf(product),
    fanout_floor_ms_1000: lastOf(floor),
  };
}

export function describeFanout(fanout: Fanout): string {
  const rows = (['product', 'floor'] as const).map((side) => {
    const rounds = fanout[side];
    const first = median(rounds.map(({ firstMs }) => firstMs));
    const worst = Math.max(...rounds.map(({ lastMs }) => lastMs));
    return [side, significant(first), significant(lastOf(rounds)), significant(worst), String(rounds[0]?.bytes)];
  });
  return [
    `From a socket's death to ${SUBSCRIBERS} subscribers, medians of ${ROUNDS} rounds, ms:`,
    table(['side', 'first knows', 'last knows', 'slowest round', 'bytes'], rows),
    `Ratio of the last: ${significant(figuresOfFanout(fanout).fanout_ratio_1000 ?? Number.NaN)}.`,
  ].join('\n');
}
