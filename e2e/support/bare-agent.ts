import { randomUUID } from 'node:crypto';
import type { ClientFrame, ServerFrame } from '@agent-reach/sdk/protocol';
import { WebSocket } from 'ws';
import { WORK_CAPABILITIES, workDeclaration } from './work.js';
import { WorkLog } from './work-log.js';

/**
 * An agent process of faults that speaks the wire by itself, to behave as no SDK would. Environment: REACH_URL,
 * REACH_TOKEN, AGENT_INSTANCE, WORK_LOG (file), AGENT_MANNER: `REFUSES` refuses each dispatch, `TWICE` answers each one
 * twice. Says `ready` to its parent.
 */
const { REACH_URL = '', REACH_TOKEN = '', AGENT_INSTANCE = 'a', WORK_LOG = '', AGENT_MANNER = '' } = process.env;
const log = new WorkLog(WORK_LOG);
const socket = new WebSocket(`${REACH_URL.replace('http', 'ws')}/reach`);
const send = (frame: ClientFrame): void => socket.send(JSON.stringify(frame));

socket.on('open', () => send({ type: 'hello', protocol: 1, token: REACH_TOKEN, incarnation: randomUUID() }));
socket.on('message', (data) => received(JSON.parse(String(data)) as ServerFrame));
socket.on('close', () => process.exit(0));
process.on('SIGTERM', () => process.exit(0));

function received(frame: ServerFrame): void {
  switch (frame.type) {
    case 'welcome':
      return send({
        type: 'register',
        id: 'join',
        instance: AGENT_INSTANCE,
        version: '1.0.0',
        agentType: 'test.work',
        capabilities: WORK_CAPABILITIES.map(workDeclaration),
        maxConcurrency: 1000,
      });
    case 'registered': {
      const instance = `${frame.agent}/${frame.instance}` as const;
      send({ type: 'ready', instance });
      setInterval(() => send({ type: 'heartbeat', instances: [{ instance }] }), 2000);
      process.send?.('ready');
      return;
    }
    case 'dispatch':
      if (AGENT_MANNER === 'REFUSES')
        return send({ type: 'ack', dispatchId: frame.dispatchId, accepted: false, reason: 'BUSY', retryAfterMs: 100 });
      log.write(frame.requestId, AGENT_INSTANCE, 'EXECUTED');
      for (const instance of [AGENT_INSTANCE, `${AGENT_INSTANCE} again`])
        send({ type: 'result', dispatchId: frame.dispatchId, ok: true, result: { instance } });
      return;
    default:
      return;
  }
}
