import type { StreamState } from '@/graphql/stream';
import type { HealthEvent, InstanceHealth } from './health-change';

/** What the stream has told so far, in a form that React can follow. */
export interface LiveView {
  readonly state: StreamState;
  /** Browser's clock, ms, of the last event; undefined before the first. */
  readonly lastEventAt: number | undefined;
  /** Grows when an instance came, went, or changed its lifecycle or health: lists that were queried are then outdated. */
  readonly structure: number;
  readonly agents: ReadonlyMap<string, ReadonlyMap<string, InstanceHealth>>;
}

/** Events that arrive closer together than this are shown together, so that a storm doesn't render a thousand times. */
const BATCH_MS = 60;

/** Collects the health stream: newest state of each instance, grouped by agent. */
export class LiveHealth {
  #agents = new Map<string, Map<string, InstanceHealth>>();
  #structure = 0;
  #state: StreamState = { is: 'CONNECTING' };
  #lastEventAt: number | undefined;
  #view: LiveView;
  #listeners = new Set<() => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
    this.#view = this.#compose();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly view = (): LiveView => this.#view;

  setState(state: StreamState): void {
    // LIVE is said with every event; only a change is news.
    if (state.is === this.#state.is && state.is !== 'RECONNECTING') return;
    this.#state = state;
    this.#publish();
  }

  take(event: HealthEvent): void {
    this.#lastEventAt = this.#now();
    if (event.kind === 'SNAPSHOT') {
      this.#agents = new Map();
      this.#structure += 1;
      for (const instance of event.instances) this.#put(instance);
    } else if (event.kind === 'CHANGE') {
      for (const instance of event.instances) this.#change(instance);
    }
    this.#publish();
  }

  #change(next: InstanceHealth): void {
    const old = this.#agents.get(next.agent)?.get(next.instance);
    // (incarnation, version) orders the changes of one instance; a resumed stream may repeat some.
    if (old !== undefined && old.incarnation === next.incarnation && next.version < old.version) return;
    if (old?.lifecycle !== next.lifecycle || old.health !== next.health || old.incarnation !== next.incarnation) {
      this.#structure += 1;
    }
    this.#put(next);
  }

  #put(next: InstanceHealth): void {
    // A new inner map, because what was given out must not change under React.
    const instances = new Map(this.#agents.get(next.agent));
    if (next.lifecycle === 'GONE') instances.delete(next.instance);
    else instances.set(next.instance, next);
    this.#agents.set(next.agent, instances);
  }

  #publish(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#view = this.#compose();
      for (const listener of this.#listeners) listener();
    }, BATCH_MS);
  }

  #compose(): LiveView {
    return {
      state: this.#state,
      lastEventAt: this.#lastEventAt,
      structure: this.#structure,
      agents: new Map(this.#agents),
    };
  }
}
