import type { DispatchFrame } from '@agent-reach/sdk/protocol';
import { Pool } from 'undici';
import type { Delivery } from '../../execute/attempts/delivery.js';
import type { Instance } from '../../perceive/instance.js';
import type { HttpEndpoint } from '../../perceive/model.js';
import type { EgressGuard } from '../egress.js';
import { Exchange, type HttpEvents } from './exchange.js';
import { requestOf, unsendableHeader } from './request.js';

const CONNECT_TIMEOUT_MS = 3_000;
/** An idle connection is kept so long, or shorter where the endpoint says so. */
const IDLE_MS = 60_000;

export interface HttpDeliveryDeps {
  readonly events: () => HttpEvents;
  readonly guard: Pick<EgressGuard, 'check' | 'lookupFor'>;
  /** Largest answer, bytes. */
  readonly maxBytes: number;
  /** Wall clock, ms since 1970. */
  readonly wall: () => number;
}

/** What the server holds of one incarnation of an endpoint. */
interface Connections {
  readonly calls: Pool;
  /** Apart, so that slow submissions of tasks leave short calls their connections. */
  readonly tasks: Pool;
  readonly running: Map<string, Exchange>;
}

/**
 * Delivers to instances that are only HTTP endpoints: each dispatch is a POST of its parameters, and the response its
 * answer. Each instance has as many connections as it declares to take calls, so that nothing waits here for one while
 * routing believes that there is room. No timers of its own: the attempt's timeout cancels.
 */
export class HttpDelivery implements Delivery {
  readonly #connections = new Map<Instance, Connections>();

  constructor(private readonly deps: HttpDeliveryDeps) {}

  offer(instance: Instance, frame: DispatchFrame): void {
    const { link, record } = instance;
    const { endpoint } = record;
    const { dispatchId } = frame;
    const events = this.deps.events();
    // Reported later, so that whoever offers has finished its own step.
    if (link === undefined || endpoint === undefined || !this.#mayConnect(endpoint)) {
      return queueMicrotask(() => events.undeliverable(dispatchId));
    }
    const unsendable = unsendableHeader(frame);
    if (unsendable !== undefined) {
      const message = `The header ${unsendable} has characters that HTTP can't carry.`;
      const error = { code: 'BUSINESS_ERROR', message } as const;
      return queueMicrotask(() => events.completed({ type: 'result', dispatchId, ok: false, error }, link, 0));
    }
    const isTask = frame.task !== undefined;
    const { calls, tasks, running } = this.#connectionsOf(instance, endpoint);
    const exchange = new Exchange({ dispatchId, isTask }, link, this.deps, () => running.delete(dispatchId));
    running.set(dispatchId, exchange);
    const { path, headers, body } = requestOf(frame, endpoint, this.deps.wall());
    (isTask ? tasks : calls).dispatch({ method: 'POST', path, headers: { ...headers }, body }, exchange);
  }

  /** Closes the connection that serves the attempt. A task that was accepted has none; its result finds nobody. */
  cancel(instance: Instance, dispatchId: string): void {
    this.#connections.get(instance)?.running.get(dispatchId)?.abandon();
  }

  /** An endpoint can't be asked what became of a dispatch, so its outcome stays unknown. */
  recall(): void {}

  /** The response to the request with which an endpoint sends a task's result says that it is stored. */
  confirm(): void {}

  /** The incarnation is lost: its connections are closed, and what still comes over them is nobody's. */
  forget(instance: Instance): void {
    const connections = this.#connections.get(instance);
    if (connections === undefined) return;
    this.#connections.delete(instance);
    for (const exchange of [...connections.running.values()]) exchange.abandon();
    void connections.calls.destroy();
    void connections.tasks.destroy();
  }

  /** Closes all connections. */
  stop(): void {
    for (const instance of [...this.#connections.keys()]) this.forget(instance);
  }

  /** A host that is a number is never looked up, so it is judged here; names are judged as they are looked up. */
  #mayConnect({ url }: HttpEndpoint): boolean {
    try {
      this.deps.guard.check(url, 'endpoint.url');
      return true;
    } catch {
      return false;
    }
  }

  #connectionsOf(instance: Instance, { url }: HttpEndpoint): Connections {
    let connections = this.#connections.get(instance);
    if (connections === undefined) {
      const { maxConcurrency, maxQueue, maxTasks } = instance.settings;
      const { origin } = new URL(url);
      connections = {
        calls: this.#pool(origin, maxConcurrency + maxQueue),
        tasks: this.#pool(origin, maxTasks),
        running: new Map(),
      };
      this.#connections.set(instance, connections);
    }
    return connections;
  }

  #pool(origin: string, connections: number): Pool {
    return new Pool(origin, {
      connections,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: CONNECT_TIMEOUT_MS, lookup: this.deps.guard.lookupFor('endpoint.url') },
    });
  }
}
