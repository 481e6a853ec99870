import { randomUUID } from 'node:crypto';
import { takeOrders } from './child-orders.js';
import { Line } from './line.js';
import { LoadRound } from './load-round.js';
import type { CallerOrder, Side } from './messages.js';
import { CAPABILITY, connectionsFor, DURABLE_CAPABILITY, MAX_CONNECTIONS, PAYLOAD } from './payload.js';

/** The callers' process. The same code on both sides. */
interface Reply {
  readonly type: string;
  readonly requestId?: string;
  readonly ref?: string;
  readonly ok?: boolean;
  readonly error?: { readonly code: string; readonly message: string };
}

const callTail = (capability: string): string =>
  `","target":{"capability":"${capability}"},"timeoutMs":10000,"params":{"text":"${PAYLOAD}"}}`;

const CALL_TAIL = callTail(CAPABILITY);
const DURABLE_TAIL = callTail(DURABLE_CAPABILITY);

/** More often than any server asks for. */
const BEAT_MS = 4000;

const lines: Record<Side, Line[]> = { product: [], floor: [] };
let round: LoadRound | undefined;

takeOrders<CallerOrder>(async (order) => {
  const side = lines[order.side];
  switch (order.order) {
    case 'connect':
      while (side.length < MAX_CONNECTIONS) side.push(await connect(order.side, order.url, order.token));
      return undefined;
    case 'flood': {
      const used = side.slice(0, connectionsFor(order.inFlight));
      round = new LoadRound(sender(used, order.durable ? DURABLE_TAIL : CALL_TAIL));
      return round.flood(order.inFlight, order.durationMs);
    }
    case 'pace':
      round = new LoadRound(sender(side, CALL_TAIL));
      return round.pace(order.perSecond, order.durationMs);
  }
});

function sender(used: readonly Line[], tail: string): (id: string, index: number) => void {
  return (id, index) => used[index % used.length]?.send(`{"type":"call","requestId":"${id}${tail}`);
}

function connect(side: Side, url: string, token: string): Promise<Line> {
  return new Promise((resolve, reject) => {
    Line.open(url, (text, line) => {
      const frame = JSON.parse(text) as Reply;
      if (frame.requestId !== undefined)
        round?.answered(
          frame.requestId,
          frame.ok === true ? undefined : `${frame.error?.code}: ${frame.error?.message}`,
        );
      else if (frame.type === 'welcome') {
        setInterval(() => line.send('{"type":"heartbeat","instances":[]}'), BEAT_MS);
        resolve(line);
      } else if (frame.type === 'error') {
        const problem = `${frame.error?.code}: ${frame.error?.message}`;
        if (frame.ref === undefined) reject(new Error(problem));
        else round?.answered(frame.ref, problem);
      }
    }).then((line) => {
      if (side === 'floor') resolve(line);
      else line.send(JSON.stringify({ type: 'hello', protocol: 1, token, incarnation: randomUUID() }));
    }, reject);
  });
}
