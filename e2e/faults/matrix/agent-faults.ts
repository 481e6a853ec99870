import { setTimeout as sleep } from 'node:timers/promises';
import { type Fault, lostExecution, unnoticed } from './fault.js';
import { TRANSPORTS } from './row.js';

/** How long an agent is stopped. */
const STOPPED_MS = 30_000;

export const killedBeforeAck: Fault = {
  name: 'killed-before-ack',
  title: 'agent killed before its ack (HTTP: before it began)',
  transports: TRANSPORTS,
  expects: lostExecution(),
  async run(crew) {
    await crew.join(['a', 'b']);
    const call = crew.call({ hold: 'BEFORE_ACK' });
    await (await crew.holder(call.requestId)).process.kill();
    await call.ended;
    await crew.repeat();
  },
};

export const killedAtWork: Fault = {
  name: 'killed-at-work',
  title: 'agent killed after its ack, at work',
  transports: TRANSPORTS,
  expects: lostExecution(),
  async run(crew) {
    await crew.join(['a', 'b']);
    const call = crew.call({ hold: 'AT_WORK' });
    await (await crew.holder(call.requestId)).process.kill();
    await call.ended;
    await crew.repeat();
  },
};

export const killedAfterWork: Fault = {
  name: 'killed-after-work',
  title: 'agent killed after its work, its answer unread',
  transports: TRANSPORTS,
  expects: lostExecution(),
  async run(crew) {
    await crew.join(['a', 'b']);
    const call = crew.call({ hold: 'AT_WORK' });
    const holder = await crew.holder(call.requestId);
    holder.lose('ANSWERS');
    crew.log.release();
    await crew.log.until(call.requestId, 'DONE');
    await sleep(100);
    await holder.process.kill();
    await call.ended;
    await crew.repeat();
  },
};

export const stopped: Fault = {
  name: 'stopped',
  title: 'agent stopped for 30 s at work (SIGSTOP)',
  transports: TRANSPORTS,
  // Continued, it finishes its work: what it then answers takes the place of the unknown outcome.
  expects: lostExecution(['OK replayed']),
  async run(crew) {
    await crew.join(['a', 'b']);
    const call = crew.call({ hold: 'AT_WORK', brief: true });
    const holder = await crew.holder(call.requestId);
    holder.process.child.kill('SIGSTOP');
    await Promise.all([call.ended, sleep(STOPPED_MS)]);
    crew.log.release();
    holder.process.child.kill('SIGCONT');
    await crew.untilReady();
    await crew.repeat();
  },
};

export const requestsLost: Fault = {
  name: 'requests-lost',
  title: 'what is sent to the agent gets lost',
  transports: TRANSPORTS,
  expects: lostExecution(),
  async run(crew) {
    const [a] = await crew.join(['a', 'b']);
    if (a === undefined) throw new Error('nobody joined');
    const others = await crew.only(a);
    a.lose('REQUESTS');
    const call = crew.call({ brief: true });
    // By now it is sent; the others are back before its ack is overdue.
    await sleep(500);
    await others.done();
    await call.ended;
    a.cable.heal();
    await crew.repeat();
  },
};

export const answersLost: Fault = {
  name: 'answers-lost',
  title: 'what the agent sends gets lost',
  transports: TRANSPORTS,
  expects: lostExecution(['OK replayed']),
  async run(crew) {
    await crew.join(['a', 'b']);
    const call = crew.call({ hold: 'AT_WORK', brief: true });
    const holder = await crew.holder(call.requestId);
    holder.lose('ANSWERS');
    crew.log.release();
    await call.ended;
    holder.cable.heal();
    await crew.untilReady();
    await crew.repeat();
  },
};

export const cutAtWork: Fault = {
  name: 'cut-at-work',
  title: "agent's connection cut at work",
  transports: TRANSPORTS,
  // On its next connection the agent says what came of it.
  expects: lostExecution(['OK replayed']),
  async run(crew) {
    await crew.join(['a', 'b']);
    const call = crew.call({ hold: 'AT_WORK' });
    (await crew.holder(call.requestId)).cable.cut();
    await call.ended;
    crew.log.release();
    await crew.untilReady();
    await sleep(200);
    await crew.repeat();
  },
};

export const answersTwice: Fault = {
  name: 'answers-twice',
  title: 'agent answers each call twice',
  // An HTTP response comes once.
  transports: ['WEBSOCKET'],
  expects: unnoticed,
  async run(crew) {
    await crew.join(['a'], 'TWICE');
    await Promise.all(Array.from({ length: 20 }, () => crew.call().ended));
    await crew.repeat();
  },
};
