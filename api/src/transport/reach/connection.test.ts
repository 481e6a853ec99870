import { CLOSE_CODES } from '@agent-reach/sdk/protocol';
import { expect, it } from 'vitest';
import { Connection, type ConnectionDeps } from './connection.js';

/** A connection that has not said hello, over a socket that notes how it was closed. */
function connection() {
  const closed: number[] = [];
  const link = { id: 'c1', close: (code: number) => closed.push(code), terminate: () => {}, send: () => true };
  const deps = {
    registry: { health: undefined, linkClosed: () => {} },
    tasks: undefined,
    access: { authenticate: () => new Promise(() => {}) },
    onRefused: () => {},
  };
  return { closed, connection: new Connection(link as never, deps as unknown as ConnectionDeps) };
}

const hello = (name: string) =>
  JSON.stringify({ type: 'hello', protocol: 1, token: 't', incarnation: 'inc-00000001', client: { name } });

it('takes 4 KiB before authentication, in bytes and not in characters', () => {
  const room = 4_096 - hello('').length;
  const most = connection();
  most.connection.receive(hello('x'.repeat(room)));
  expect(most.closed).toEqual([]);
  const more = connection();
  more.connection.receive(hello('€'.repeat(Math.ceil(room / 3) + 1)));
  expect(more.closed).toEqual([CLOSE_CODES.TOO_LARGE]);
});
