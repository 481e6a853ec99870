import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AuditRecord, type ErrorCode, ReachError } from '@agent-reach/sdk/protocol';
import express, { type Router } from 'express';
import type { Principal } from '../../governance/access/principal.js';
import { TestRegistry } from '../../perceive/testing.js';
import type { AuthenticatedDeps } from './authenticated.js';
import { noSuchRoute, restErrors } from './errors.js';
import type { RefusalDeps } from './recorded-refusals.js';

/** A program of a namespace. */
export function appPrincipal(caller: Principal['caller'], namespace: string | undefined): Principal {
  return {
    caller,
    kind: 'APP',
    name: 'web',
    namespace,
    roles: [],
    scope: namespace === undefined ? { all: true } : { all: false, namespaces: new Set([namespace]) },
    agent: undefined,
    credential: { kind: 'APP_TOKEN', id: 't1', expiresAt: undefined },
  };
}

/** An agent of a namespace, with a token of its own. */
export function agentPrincipal(ref: `${string}/${string}`): Principal {
  return {
    ...appPrincipal(`agent:${ref}`, ref.slice(0, ref.indexOf('/'))),
    kind: 'AGENT',
    agent: { uid: `uid of ${ref}`, ref },
    credential: { kind: 'AGENT_TOKEN', id: 't2', expiresAt: undefined },
  };
}

/** What an answer was. */
export interface RestAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Routes of REST over HTTP, on a registry with `shop/orders` in it. */
export class RestTestServer {
  readonly audit: AuditRecord[] = [];
  readonly refused: ErrorCode[] = [];
  readonly #http: Server;

  private constructor(
    readonly registry: TestRegistry['registry'],
    tokens: Readonly<Record<string, Principal>>,
    routes: (deps: AuthenticatedDeps & RefusalDeps & { readonly registry: TestRegistry['registry'] }) => Router,
  ) {
    const app = express();
    app.use(
      routes({
        authenticate: async (secret) => {
          const found = tokens[secret];
          if (found === undefined) throw new ReachError('UNAUTHENTICATED', 'The token is not valid.');
          return found;
        },
        registry,
        audit: { record: (entry) => this.audit.push(entry) },
        wall: () => 1_000,
        onRefused: (code) => this.refused.push(code),
      }),
    );
    app.use('/v1', noSuchRoute);
    app.use(restErrors({ error: () => {} }));
    this.#http = createServer(app);
  }

  /** `tokens`: who comes with which secret. */
  static async open(
    tokens: Readonly<Record<string, Principal>>,
    routes: (deps: AuthenticatedDeps & RefusalDeps & { readonly registry: TestRegistry['registry'] }) => Router,
  ): Promise<RestTestServer> {
    const t = new TestRegistry();
    await t.ready();
    const server = new RestTestServer(t.registry, tokens, routes);
    await new Promise<void>((resolve) => server.#http.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get(path: string, token?: string): Promise<RestAnswer> {
    return this.#send('GET', path, token, undefined);
  }

  /** A body that is a string goes as it is; anything else as JSON. */
  post(path: string, token?: string, body?: unknown): Promise<RestAnswer> {
    return this.#send('POST', path, token, body);
  }

  async #send(method: string, path: string, token: string | undefined, body: unknown): Promise<RestAnswer> {
    const { port } = this.#http.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  }

  close(): Promise<void> {
    this.#http.closeAllConnections();
    return new Promise((resolve) => this.#http.close(() => resolve()));
  }
}
