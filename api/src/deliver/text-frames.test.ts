import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { encodeTextFrames } from './text-frames.js';

describe('text frames', () => {
  it('of every length class arrive whole and in order at a WebSocket client', async () => {
    const texts = [
      '',
      'a',
      'ä'.repeat(60),
      'x'.repeat(125),
      'x'.repeat(126),
      'é'.repeat(40_000),
      'y'.repeat(65_535),
      'z'.repeat(65_536),
      '😀'.repeat(50_000),
    ];
    const server = createServer();
    const sockets = new WebSocketServer({ noServer: true });
    server.on('upgrade', (request, socket, head) => {
      sockets.handleUpgrade(request, socket, head, (webSocket) => {
        socket.write(encodeTextFrames(texts));
        webSocket.close(1000);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const received: string[] = [];
    client.on('message', (data, isBinary) => received.push(isBinary ? 'binary' : data.toString()));
    await once(client, 'close');
    expect(received).toEqual(texts);
    server.close();
  });
});
