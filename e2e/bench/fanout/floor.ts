import { type WebSocket, WebSocketServer } from 'ws';

/**
 * The floor: a bare broadcast. When a socket that said a text is gone, every other one gets that text. The text is what
 * the product's subscribers got, so that the bytes are the same.
 */
const listeners = new Set<WebSocket>();

const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });

server.on('connection', (socket) => {
  let lastWords: string | undefined;
  listeners.add(socket);
  socket.on('error', () => socket.terminate());
  socket.on('message', (data) => {
    lastWords = data.toString();
    listeners.delete(socket);
    socket.send('heard');
  });
  socket.on('close', () => {
    listeners.delete(socket);
    if (lastWords === undefined) return;
    for (const listener of listeners) listener.send(lastWords);
  });
});

server.on('listening', () => {
  const address = server.address();
  if (typeof address === 'object' && address !== null) process.send?.(address.port);
});

process.on('disconnect', () => process.exit(0));
process.on('SIGINT', () => undefined);
