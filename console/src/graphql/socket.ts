import { type Client, createClient } from 'graphql-ws';

let client: Client | undefined;

/** How long a ping may stay unanswered before the connection counts as dead, in milliseconds. */
const PONG_LIMIT_MS = 5_000;

/**
 * The one WebSocket that all subscriptions of this tab share. It opens with the first subscription, on the viewer's
 * session cookie, and doesn't repeat by itself: a stream repeats with its own last position.
 */
export function socket(): Client {
  if (client !== undefined) return client;
  let pongTimer: ReturnType<typeof setTimeout> | undefined;
  const created = createClient({
    url: socketUrl(),
    retryAttempts: 0,
    lazy: true,
    lazyCloseTimeout: 3_000,
    keepAlive: 10_000,
    on: {
      ping: (received) => {
        if (!received) pongTimer = setTimeout(() => created.terminate(), PONG_LIMIT_MS);
      },
      pong: (received) => {
        if (received) clearTimeout(pongTimer);
      },
      closed: () => clearTimeout(pongTimer),
    },
  });
  client = created;
  return created;
}

/** The address of the GraphQL WebSocket beside this page. */
export function socketUrl(): string {
  const { protocol, host } = window.location;
  return `${protocol === 'https:' ? 'wss' : 'ws'}://${host}/graphql`;
}
