import { TcpProxy } from '../../support/proxy.js';
import { type Fault, unnoticed } from './fault.js';
import { askByHttp, askBySocket, callAndVanish } from './raw-callers.js';
import { TRANSPORTS } from './row.js';
import type { Stand } from './stand.js';

/** Equal calls at once, half of them by each way in. */
const EQUAL_CALLS = 20;

export const equalCalls = (stand: () => Stand): Fault => ({
  name: 'equal-calls',
  title: `${EQUAL_CALLS} equal calls at once, WebSocket and HTTP`,
  transports: TRANSPORTS,
  expects: unnoticed,
  async run(crew) {
    await crew.join(['a', 'b']);
    const body = crew.body(crew.make({ ms: 200 }));
    const answers = await Promise.all(
      Array.from({ length: EQUAL_CALLS }, (_, index) =>
        (index % 2 === 0 ? askBySocket : askByHttp)(stand().server.apiUrl, stand().callerToken, body),
      ),
    );
    for (const answer of answers) crew.count(answer);
    await crew.repeat();
  },
});

export const callerCut = (stand: () => Stand): Fault => ({
  name: 'caller-cut',
  title: "caller's connection cut in mid-call",
  transports: TRANSPORTS,
  // On its next connection the SDK asks again under the same requestId.
  expects: unnoticed,
  async run(crew) {
    await crew.join(['a', 'b']);
    const cable = await TcpProxy.open(stand().server.ports.api);
    const reach = stand().connect(`http://127.0.0.1:${cable.port}`);
    try {
      await reach.connected;
      const call = crew.call({ hold: 'AT_WORK' }, reach);
      await crew.holder(call.requestId);
      cable.cut();
      if (crew.kind.idempotent) await crew.log.until(call.requestId, 'CANCELLED');
      crew.log.release();
      await call.ended;
    } finally {
      await reach.close();
      await cable.close();
    }
    await crew.repeat();
  },
});

export const callerGone = (stand: () => Stand): Fault => ({
  name: 'caller-gone',
  title: 'caller gone in mid-call',
  transports: TRANSPORTS,
  // Nobody wants the idempotent call any more, so it is cancelled; the other one is carried to its end.
  expects: ({ idempotent }) => ({ answers: [], repeated: idempotent ? ['OK'] : ['OK replayed'] }),
  async run(crew) {
    await crew.join(['a', 'b']);
    const body = crew.body(crew.make({ hold: 'AT_WORK' }));
    const vanish = await callAndVanish(stand().server.apiUrl, stand().callerToken, body);
    await crew.holder(body.requestId);
    vanish();
    if (crew.kind.idempotent) await crew.log.until(body.requestId, 'CANCELLED');
    crew.log.release();
    await crew.log.until(body.requestId, 'DONE');
    await crew.repeat();
  },
});
