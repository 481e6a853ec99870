import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ReachError } from '@agent-reach/sdk/protocol';
import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  validate,
} from 'graphql';
import { type Context, GRAPHQL_TRANSPORT_WS_PROTOCOL, makeServer, type SubscribePayload } from 'graphql-ws';
import { type WebSocket, WebSocketServer } from 'ws';
import type { EndListener } from '../../governance/access/credential-ends.js';
import type { Principal } from '../../governance/access/principal.js';
import type { PrincipalOf } from '../../governance/access/principal-of.js';
import type { OriginVerdict } from '../origin.js';
import { closingOf, tokenOf } from './connection-init.js';
import { contextOf, type GraphqlContext } from './context.js';
import { type ErrorLog, formatError, formatResult } from './errors.js';
import { mayUseGraphql } from './http.js';
import { checkOperation, operationRequest } from './limits/check.js';
import { KnownDocuments } from './limits/known-documents.js';
import type { GraphqlLimits, SocketLimits } from './limits/limits.js';
import { operationKey, type SentOperation } from './operation-key.js';
import { type RefusalPorts, recordRefusals } from './refusals.js';
import type { GraphqlServices } from './services.js';
import { SharedExecutions } from './shared-executions.js';
import { BoundedSocket, GRAPHQL_CLOSE_CODES as CODES } from './socket.js';
import { Subscription } from './subscription.js';
import { refuseUpgrade } from './upgrade.js';

export interface GraphqlSocketDeps extends RefusalPorts {
  readonly schema: GraphQLSchema;
  readonly services: GraphqlServices;
  readonly principalOf: PrincipalOf;
  /** The principal of a token. Throws UNAUTHENTICATED. */
  readonly authenticate: (secret: string) => Promise<Principal>;
  /** Hears of the end of credentials; returns the function that ends this. */
  readonly onEnded: (listener: EndListener) => () => void;
  readonly originVerdict: (req: Pick<IncomingMessage, 'headers'>) => OriginVerdict;
  readonly limits: GraphqlLimits;
  readonly socketLimits: SocketLimits;
  readonly log: ErrorLog;
}

/** What is known of one socket. */
interface Peer {
  readonly socket: BoundedSocket;
  readonly gone: AbortController;
  /** Asks again who this is, so that each operation runs with the rights of its moment. */
  principal: () => Promise<Principal>;
  readonly address: string;
  credential: string | undefined;
}

type PeerContext = Context<Record<string, unknown> | undefined, Peer>;

const TICK_MS = 1_000;
/** An event is executed whoever of its subscribers goes away. */
const NEVER = new AbortController().signal;

/** GraphQL over WebSocket (graphql-transport-ws): the same checks, limits and errors as over HTTP. */
export class GraphqlSockets {
  readonly #deps: GraphqlSocketDeps;
  readonly #peers = new Set<Peer>();
  readonly #requestIds = new WeakMap<SubscribePayload, string>();
  readonly #executions = new SharedExecutions();
  readonly #documents = new KnownDocuments();
  readonly #wss: WebSocketServer;
  readonly #server;
  readonly #timer: NodeJS.Timeout;
  readonly #unlisten: () => void;

  constructor(deps: GraphqlSocketDeps) {
    this.#deps = deps;
    this.#wss = new WebSocketServer({
      noServer: true,
      maxPayload: deps.limits.bodyBytes,
      // Compression would hold memory and time for each of many sockets.
      perMessageDeflate: false,
      handleProtocols: (offered) => offered.has(GRAPHQL_TRANSPORT_WS_PROTOCOL) && GRAPHQL_TRANSPORT_WS_PROTOCOL,
    });
    this.#server = makeServer<Record<string, unknown> | undefined, Peer>({
      connectionInitWaitTimeout: deps.socketLimits.initTimeoutMs,
      onConnect: (ctx) => this.#connect(ctx),
      onSubscribe: (ctx, _id, payload) => this.#operation(ctx, payload),
      // Events, and not yet results: those are made in `#follow`.
      subscribe: (args) => createSourceEventStream(args) as Promise<AsyncIterable<ExecutionResult>>,
      onOperation: (ctx, id, payload, args, result) =>
        Symbol.asyncIterator in result ? this.#follow(ctx, id, payload, args, result) : undefined,
      onNext: (_ctx, _id, payload, args, result) => this.#outgoing(payload, args, result),
      onError: (_ctx, _id, payload, errors) => errors.map(this.#formatter(payload)),
    });
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
    this.#unlisten = deps.onEnded((credential, reason) => {
      for (const peer of this.#peers) {
        if (peer.credential === credential)
          peer.socket.close(CODES.CREDENTIAL_ENDED, `credential ${reason.toLowerCase()}`);
      }
    });
  }

  /** Takes over an upgrade of `/graphql`. */
  handleUpgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    const verdict = this.#deps.originVerdict(req);
    const address = req.socket.remoteAddress ?? 'unknown';
    if (verdict === 'FOREIGN') {
      this.#deps.onRefused('DENIED', address);
      return refuseUpgrade(socket, 403, 'Pages of this origin may not connect.');
    }
    const ignore = (): void => {};
    socket.on('error', ignore);
    this.#whoAsks(req).then(
      (principal) => {
        socket.off('error', ignore);
        this.#wss.handleUpgrade(req, socket, head, (ws) => this.#opened(ws, socket, req, principal));
      },
      (error: unknown) => {
        if (error instanceof ReachError) this.#deps.onRefused(error.code, address);
        const away = error instanceof ReachError && error.code === 'STORAGE_UNAVAILABLE';
        refuseUpgrade(socket, away ? 503 : 401, error instanceof ReachError ? error.message : 'Not authenticated.');
      },
    );
  }

  /** Closes every socket, and ends those that don't answer within a second. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#unlisten();
    const closed = [...this.#peers].map(
      ({ socket, gone }) =>
        new Promise<void>((resolve) => {
          gone.signal.addEventListener('abort', () => resolve(), { once: true });
          socket.close(CODES.GOING_AWAY, 'the server is stopping');
          setTimeout(() => socket.terminate(), 1_000).unref();
        }),
    );
    await Promise.all(closed);
    this.#wss.close();
  }

  /** Who the upgrade itself names: a bearer token, or the session of a page of ours. */
  async #whoAsks(req: IncomingMessage): Promise<Principal | undefined> {
    const principal = await this.#deps.principalOf(req, { cookies: true });
    return principal === undefined ? undefined : mayUseGraphql(principal);
  }

  #opened(ws: WebSocket, raw: Duplex, req: IncomingMessage, known: Principal | undefined): void {
    const socket = new BoundedSocket(ws, this.#deps.socketLimits, performance.now());
    const peer: Peer = {
      socket,
      gone: new AbortController(),
      credential: known?.credential.id,
      address: req.socket.remoteAddress ?? 'unknown',
      principal: async () => mayUseGraphql(await this.#deps.principalOf(req, { cookies: true })),
    };
    this.#peers.add(peer);
    // Ahead of the frame parser, so that nothing large is put together for a stranger.
    raw.prependListener('data', (chunk: Buffer) => socket.received(chunk.length));
    ws.on('error', () => ws.terminate());
    const closed = this.#server.opened(socket, peer);
    ws.once('close', (code, reason) => {
      this.#peers.delete(peer);
      peer.gone.abort();
      closed(code, String(reason)).catch((err: unknown) =>
        this.#deps.log.error({ err }, 'a GraphQL socket closed badly'),
      );
    });
  }

  async #connect({ extra: peer, connectionParams }: PeerContext): Promise<boolean> {
    try {
      const token = tokenOf(connectionParams);
      if (token !== undefined) peer.principal = async () => mayUseGraphql(await this.#deps.authenticate(token));
      peer.credential = (await peer.principal()).credential.id;
      // Asked again, now that its end would be heard: it may have ended in between.
      await peer.principal();
      peer.socket.authenticated();
      return true;
    } catch (error) {
      if (error instanceof ReachError) this.#deps.onRefused(error.code, peer.address);
      else this.#deps.log.error({ err: error }, 'a GraphQL socket could not be authenticated');
      const { code, reason } = closingOf(error);
      peer.socket.close(code, reason);
      return false;
    }
  }

  async #operation(ctx: PeerContext, payload: SubscribePayload): Promise<ExecutionArgs | readonly GraphQLError[]> {
    const { schema, limits, socketLimits, services } = this.#deps;
    const requestId = randomUUID();
    this.#requestIds.set(payload, requestId);
    try {
      if (Object.keys(ctx.subscriptions).length > socketLimits.operations) {
        throw new ReachError('RATE_LIMITED', `One socket runs at most ${socketLimits.operations} operations at once.`);
      }
      const principal = await ctx.extra.principal();
      const operation = checkOperation(schema, operationRequest(payload, limits), limits, this.#documents);
      if (!operation.isValid) {
        const faults = validate(schema, operation.document, undefined, { maxErrors: 20 });
        if (faults.length > 0) return faults;
        if (operation.kind === 'subscription') this.#documents.keep(operation.query, operation.document);
      }
      return {
        schema,
        document: operation.document,
        operationName: operation.operationName ?? null,
        variableValues: operation.variables,
        contextValue: contextOf({ principal, requestId, signal: ctx.extra.gone.signal, services }),
      };
    } catch (error) {
      const cause = error instanceof Error ? error : new Error(String(error));
      return [new GraphQLError(cause.message, { originalError: cause })];
    }
  }

  /** Sends what each event comes to. Executions are shared, so each has a context that belongs to nobody. */
  #follow(
    { extra: { socket } }: PeerContext,
    id: string,
    payload: SubscribePayload,
    args: ExecutionArgs,
    source: AsyncIterable<object>,
  ): Subscription {
    const { services } = this.#deps;
    const { principal } = args.contextValue as GraphqlContext;
    const key = operationKey(args.document, payload as SentOperation, principal);
    const head = `{"id":${JSON.stringify(id)},"type":"next","payload":`;
    return new Subscription({
      events: source[Symbol.asyncIterator](),
      execute: (event) =>
        this.#executions.of(event, key, () =>
          execute({
            ...args,
            rootValue: event,
            contextValue: contextOf({ principal, requestId: randomUUID(), signal: NEVER, services }),
          }),
        ),
      printErrors: (result) => JSON.stringify(this.#outgoing(payload, args, result)),
      send: (text) => socket.send(`${head}${text}}`),
    });
  }

  #outgoing(payload: SubscribePayload, args: ExecutionArgs, result: ExecutionResult) {
    if (result.errors !== undefined) {
      recordRefusals(this.#deps.recorder, args.contextValue as GraphqlContext, result.errors);
    }
    return formatResult(result, this.#formatter(payload));
  }

  #formatter(payload: SubscribePayload): (error: unknown) => ReturnType<typeof formatError> {
    const requestId = this.#requestIds.get(payload) ?? randomUUID();
    return (error) => formatError(error, requestId, this.#deps.log);
  }

  #tick(): void {
    const now = performance.now();
    for (const { socket } of this.#peers) socket.tick(now);
  }
}
