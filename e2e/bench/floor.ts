import { type WebSocket, WebSocketServer } from 'ws';

/**
 * The floor: the least that a process between callers and agents can do. It parses each frame, forwards a call to the
 * next agent in turn and the reply, matched by its id, to the caller. No names, rules, checks, records or deadlines.
 */
const agents: WebSocket[] = [];
const waiting = new Map<string, WebSocket>();
let turn = 0;

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });

server.on('connection', (socket) => {
  socket.on('message', (data) => {
    const text = data.toString();
    const frame = JSON.parse(text) as { readonly type: string; readonly requestId: string };
    if (frame.type === 'call') {
      const agent = agents[turn % agents.length];
      turn += 1;
      waiting.set(frame.requestId, socket);
      agent?.send(text);
    } else if (frame.type === 'result') {
      waiting.get(frame.requestId)?.send(text);
      waiting.delete(frame.requestId);
    } else if (frame.type === 'join') {
      agents.push(socket);
      socket.send('{"type":"joined"}');
    }
  });
});

server.on('listening', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) process.send?.(address.port);
});

process.on('disconnect', () => process.exit(0));
process.on('SIGINT', () => undefined);
