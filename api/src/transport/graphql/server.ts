import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type express from 'express';
import { createApollo } from './apollo.js';
import { graphqlHttp } from './http.js';
import { type GraphqlLimits, LIMITS, SOCKET_LIMITS, type SocketLimits } from './limits/limits.js';
import { buildReachSchema } from './schema.js';
import { type GraphqlSocketDeps, GraphqlSockets } from './websocket.js';

export const GRAPHQL_PATH = '/graphql';

/** What the transport needs; limits have their documented defaults. */
export interface GraphqlTransportDeps extends Omit<GraphqlSocketDeps, 'schema' | 'limits' | 'socketLimits'> {
  readonly limits?: GraphqlLimits;
  readonly socketLimits?: SocketLimits;
}

/** GraphQL over HTTP and WebSocket, both at `/graphql`. */
export interface GraphqlTransport {
  /** Mounts the HTTP way in. To be called once, before the first upgrade. */
  attach(app: express.Express): Promise<void>;
  /** Takes over an upgrade whose path is `/graphql`. */
  handleUpgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Closes every socket and lets running requests end. */
  stop(): Promise<void>;
}

export function graphqlTransport({
  limits = LIMITS,
  socketLimits = SOCKET_LIMITS,
  ...deps
}: GraphqlTransportDeps): GraphqlTransport {
  let sockets: GraphqlSockets | undefined;
  let stopApollo = async (): Promise<void> => {};
  return {
    async attach(app) {
      const schema = await buildReachSchema(deps.services);
      const apollo = createApollo(schema, deps);
      await apollo.start();
      stopApollo = () => apollo.stop();
      app.use(GRAPHQL_PATH, ...graphqlHttp({ ...deps, schema, apollo, limits }));
      sockets = new GraphqlSockets({ ...deps, schema, limits, socketLimits });
    },
    handleUpgrade(req, socket, head) {
      if (sockets === undefined) socket.destroy();
      else sockets.handleUpgrade(req, socket, head);
    },
    async stop() {
      await sockets?.stop();
      await stopApollo();
    },
  };
}
