import {
  type CallTarget,
  ReachError,
  type RouteEntry,
  type RouteStreamEvent,
  targetFaults,
  type WelcomeFrame,
} from '../protocol/index.js';
import type { Route } from './cached-route.js';
import { CachedRoutes } from './cached-routes.js';
import { deferred } from './deferred.js';
import type { OpenStream, StreamHost } from './event-stream.js';
import { Faults } from './faults.js';

/** Which routes to keep. */
export interface RouteOptions {
  /** Only those of this namespace. */
  readonly namespace?: string;
}

/** Which of those who can be reached are asked for. */
export interface WhoOptions {
  /** The domain that calls stay in; PRODUCTION, unless this agent is in another. */
  readonly domain?: RouteEntry['domain'];
}

/** What a route cache needs of its Reach. */
export interface RouteHost extends StreamHost {
  readonly welcome: WelcomeFrame | undefined;
  nextId(): string;
  addStream(id: string, stream: OpenStream): void;
}

/**
 * Who can be reached, kept at hand: the server's route table as far as you may see and call it, kept up by what changes.
 * It matches by the code that the server's router matches by. Whom of several a call goes to stays the server's to say,
 * since only it knows their load, their breakers and the policies.
 */
export class RouteCache implements OpenStream {
  private routes = new CachedRoutes();
  private readonly first = deferred<void>();
  private readonly watchers = new Set<() => void>();
  private id: string | undefined;
  /** The caller's own, where a target names none. */
  private namespace = '';
  private position: string | undefined;
  /** The version that the table is at; undefined while a snapshot is awaited. */
  private at: number | undefined;
  private end: { readonly error: ReachError | undefined } | undefined;

  /** Made by `Reach.routes`. */
  constructor(
    private readonly options: RouteOptions,
    private readonly host: RouteHost,
  ) {
    const faults = new Faults();
    if (options.namespace !== undefined) faults.text('namespace', options.namespace, 1, 64);
    faults.raise('routes');
    this.first.promise.catch(() => undefined);
    this.open();
  }

  /** Resolves when the first snapshot is here. Rejects when the server refuses, or the connection is over. */
  get ready(): Promise<void> {
    return this.first.promise;
  }

  /** The table's version, which grows within one life of the server; undefined before the first snapshot. */
  get version(): number | undefined {
    return this.at;
  }

  /** Whether it is up to date: false while there is no connection, or a fresh snapshot is on its way. */
  get isCurrent(): boolean {
    return this.host.open && this.at !== undefined && this.end === undefined;
  }

  /** It is not kept up any more: it was closed, the server refused it, or the connection is over for good. */
  get ended(): boolean {
    return this.end !== undefined;
  }

  /**
   * Who can be called now: those that the target means, that you may call, and that are READY, in alphabetical order.
   * While it is not current, as it was last known. Throws INVALID_INPUT for a target that can't be, or names a need.
   */
  who(target: CallTarget, { domain = 'PRODUCTION' }: WhoOptions = {}): readonly Route[] {
    checkTarget(target);
    return this.routes.who(target.namespace ?? this.namespace, target, domain);
  }

  /**
   * Who can be called, now and then each time that others are: an empty list when nobody is left. A slow reader gets the
   * newest. It ends with the cache; leaving the loop ends it.
   */
  async *follow(
    target: CallTarget,
    options: WhoOptions & { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<readonly Route[]> {
    checkTarget(target);
    const { signal } = options;
    let last: string | undefined;
    let changed = deferred<void>();
    const wake = (): void => changed.resolve();
    this.watchers.add(wake);
    signal?.addEventListener('abort', wake, { once: true });
    try {
      await Promise.race([this.ready, changed.promise]);
      while (this.end === undefined && !signal?.aborted) {
        changed = deferred();
        const routes = this.at === undefined ? undefined : this.who(target, options);
        const text = routes === undefined ? last : JSON.stringify(routes);
        if (text !== last && routes !== undefined) {
          last = text;
          yield routes;
        } else await changed.promise;
      }
      if (this.end?.error !== undefined) throw this.end.error;
    } finally {
      this.watchers.delete(wake);
      signal?.removeEventListener('abort', wake);
    }
  }

  /** Ends it. */
  close(): void {
    if (this.end !== undefined) return;
    this.leave();
    this.finish(undefined);
  }

  subscribe(): void {
    this.namespace = this.host.welcome?.namespace ?? '';
    const { id, position, options } = this;
    const filter = options.namespace === undefined ? undefined : options;
    this.host.send(JSON.stringify({ type: 'subscribe', id, stream: 'routes', after: position, filter }));
  }

  onEvent(event: RouteStreamEvent): void {
    if (this.end !== undefined) return;
    switch (event.kind) {
      case 'Snapshot':
        this.routes = new CachedRoutes();
        for (const entry of event.instances) this.routes.put(entry);
        break;
      case 'Change':
        if (event.previous !== this.at) return this.startAnew();
        this.routes.put(event.instance);
        break;
      case 'Checkpoint':
        if (event.previous !== this.at) return this.startAnew();
        break;
      case 'Resync':
        this.at = undefined;
        return;
      default:
        // A newer server may have kinds that this version does not know.
        event satisfies never;
        return;
    }
    this.at = event.version;
    this.position = event.position;
    this.first.resolve();
    for (const wake of this.watchers) wake();
  }

  finish(error: ReachError | undefined): void {
    if (this.end !== undefined) return;
    this.end = { error };
    this.first.reject(error ?? new ReachError('CANCELLED', 'the route cache was closed'));
    for (const wake of this.watchers) wake();
  }

  /** Something was lost on the way: what is here can't be kept up, so everything is asked for again. */
  private startAnew(): void {
    this.leave();
    this.position = undefined;
    this.at = undefined;
    this.open();
  }

  /** Under a new id, so that nothing of an earlier subscription can be taken for the new one's. */
  private open(): void {
    this.id = this.host.nextId();
    this.host.addStream(this.id, this);
  }

  private leave(): void {
    if (this.id === undefined) return;
    if (this.host.open) this.host.send(JSON.stringify({ type: 'unsubscribe', id: this.id }));
    this.host.leaveStream(this.id);
  }
}

function checkTarget(target: CallTarget): void {
  const faults = new Faults();
  for (const fault of targetFaults(target, 'target')) faults.add(fault);
  if (target?.need !== undefined) {
    faults.add({ path: 'target.need', got: 'a need', allowed: 'a capability: findCapabilities(...) tells which fits' });
  }
  faults.raise('routes');
}
