import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DispatchFrame } from '@agent-reach/sdk/protocol';
import { ENDPOINT_DEFAULTS, endpointOf } from '../../perceive/endpoints/endpoint-check.js';
import { HttpLink } from '../../perceive/endpoints/http-link.js';
import type { Instance } from '../../perceive/instance.js';
import type { HttpEndpoint } from '../../perceive/model.js';
import { checkRegistration } from '../../perceive/registration.js';
import { registerFrame, TestRegistry } from '../../perceive/testing.js';
import { EgressGuard } from '../egress.js';
import { HttpDelivery } from './delivery.js';

/** A request that reached the endpoint, its body read. */
export interface Seen {
  readonly request: IncomingMessage;
  readonly body: string;
}

export type Answering = (seen: Seen, response: ServerResponse) => void;

/** A real HTTP server that plays an endpoint. */
export class TestEndpoint {
  readonly seen: Seen[] = [];
  /** Connections that were made, and those open now. */
  connections = 0;
  open = 0;
  answer: Answering = (_seen, response) => response.end('{}');

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(answer?: Answering): Promise<TestEndpoint> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const endpoint = new TestEndpoint(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    if (answer !== undefined) endpoint.answer = answer;
    server.on('connection', (socket) => {
      endpoint.connections++;
      endpoint.open++;
      socket.on('close', () => endpoint.open--);
    });
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const seen = { request, body: Buffer.concat(chunks).toString() };
        endpoint.seen.push(seen);
        endpoint.answer(seen, response);
      });
    });
    return endpoint;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** Delivery to one endpoint, and what it tells of, in order. */
export class TestHttpDelivery {
  readonly told: unknown[] = [];
  readonly delivery: HttpDelivery;
  #waiting: (() => void)[] = [];

  constructor(guard = new EgressGuard({ allow: [], loopback: true }), maxBytes = 65_536) {
    const tell = (event: unknown) => {
      this.told.push(event);
      for (const wake of this.#waiting.splice(0)) wake();
    };
    this.delivery = new HttpDelivery({
      guard,
      maxBytes,
      wall: () => Date.parse('2026-01-01T00:00:00.000Z'),
      events: () => ({
        handedOver: (dispatchId) => tell(['handedOver', dispatchId]),
        undeliverable: (dispatchId) => tell(['undeliverable', dispatchId]),
        acked: (frame) => tell(['acked', frame]),
        completed: (frame, _link, bytes) => tell(['completed', frame, bytes]),
        faulty: (dispatchId, _link, error) => tell(['faulty', dispatchId, error.message]),
        broken: (dispatchId) => tell(['broken', dispatchId]),
      }),
    });
  }

  /** What was told, as soon as it is so much. */
  async hears(count: number): Promise<unknown[]> {
    while (this.told.length < count) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.told;
  }
}

/** A live instance that is an endpoint. */
export async function endpointInstance(
  endpoint: Partial<HttpEndpoint> & { url: string },
  settings: { maxConcurrency?: number; maxTasks?: number } = {},
): Promise<Instance> {
  const { registry } = new TestRegistry();
  const { maxConcurrency, maxTasks } = ENDPOINT_DEFAULTS;
  const checked = checkRegistration(registerFrame({ maxConcurrency, maxTasks, ...settings }), {
    namespace: 'shop',
    agent: 'orders',
    actor: 'agent:shop/orders',
    enrolmentKeyId: undefined,
  });
  const link = new HttpLink('link');
  const { instance } = await registry.join(checked, 'inc-1', link, endpointOf(endpoint));
  registry.reached(instance, link);
  return instance;
}

let dispatches = 0;

export function dispatchFrame(overrides: Partial<DispatchFrame> = {}): DispatchFrame {
  return {
    type: 'dispatch',
    dispatchId: `d${++dispatches}`,
    instance: 'shop/orders/one',
    requestId: 'r1',
    caller: 'agent:shop/web',
    capability: 'order_query',
    params: { id: '7' },
    timeoutMs: 30_000,
    attempt: 1,
    ...overrides,
  };
}
