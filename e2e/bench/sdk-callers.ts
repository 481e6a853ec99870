import { connect, type Reach } from '@agent-reach/sdk';
import { takeOrders } from './child-orders.js';
import { LoadRound } from './load-round.js';
import type { CallerOrder } from './messages.js';
import { connectionsFor, MAX_CONNECTIONS, PAYLOAD, SDK_CAPABILITY } from './payload.js';

/** As callers.ts, with the SDK; product only. */
const connections: Reach[] = [];
let round: LoadRound | undefined;

takeOrders<CallerOrder>(async (order) => {
  switch (order.order) {
    case 'connect':
      while (connections.length < MAX_CONNECTIONS)
        connections.push(connect({ url: order.url, token: order.token, drainOn: [], log: () => undefined }));
      await Promise.all(connections.map((reach) => reach.connected));
      return undefined;
    case 'flood':
      round = new LoadRound(sender(connections.slice(0, connectionsFor(order.inFlight))));
      return round.flood(order.inFlight, order.durationMs);
    case 'pace':
      round = new LoadRound(sender(connections));
      return round.pace(order.perSecond, order.durationMs);
  }
});

function sender(used: readonly Reach[]): (id: string, index: number) => void {
  return (requestId, index) => {
    const call = { requestId, capability: SDK_CAPABILITY, timeoutMs: 10_000, params: { text: PAYLOAD } };
    used[index % used.length]?.call(call).then(
      () => round?.answered(requestId, undefined),
      (error: unknown) => round?.answered(requestId, String(error)),
    );
  };
}
