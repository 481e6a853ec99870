import type { HealthFilter, HealthStreamEvent, ReachError } from '../protocol/index.js';
import { type Deferred, deferred } from './deferred.js';
import { Faults } from './faults.js';

/** Which health changes to follow, and from where. */
export interface HealthOptions {
  readonly filter?: HealthFilter;
  /** A position got earlier: go on after it. Without it the stream begins with a Snapshot. */
  readonly after?: string;
  /** Aborting it ends the stream. */
  readonly signal?: AbortSignal;
}

/** What a stream needs of its Reach. */
export interface StreamHost {
  readonly open: boolean;
  send(text: string): boolean;
  leaveStream(id: string): void;
}

const MAX_WAITING = 1024;

/**
 * Health changes as they come, over reconnects: it goes on after the last position by itself. A reader that is slow
 * gets the newest state of each instance instead of every step, so what waits is bounded by the number of instances.
 */
export class HealthStream implements AsyncIterableIterator<HealthStreamEvent> {
  private waiting: HealthStreamEvent[] = [];
  private compactAt = MAX_WAITING;
  private reader: Deferred<IteratorResult<HealthStreamEvent>> | undefined;
  private end: { readonly error: ReachError | undefined } | undefined;
  private position: string | undefined;
  private readonly release: () => void;

  constructor(
    private readonly id: string,
    private readonly options: HealthOptions,
    private readonly host: StreamHost,
  ) {
    const faults = new Faults();
    if (options.after !== undefined) faults.text('after', options.after, 1, 1024);
    if (options.filter !== undefined) faults.object('filter', options.filter);
    faults.raise('healthChanges');
    this.position = options.after;
    const { signal } = options;
    const abort = () => this.close();
    signal?.addEventListener('abort', abort, { once: true });
    this.release = () => signal?.removeEventListener('abort', abort);
    if (signal?.aborted) this.close();
  }

  /** Sends the subscription; called by the host on each new connection. */
  subscribe(): void {
    const { filter } = this.options;
    this.host.send(JSON.stringify({ type: 'subscribe', id: this.id, stream: 'health', after: this.position, filter }));
  }

  onEvent(event: HealthStreamEvent): void {
    if (this.end !== undefined) return;
    this.position = event.position;
    if (this.reader !== undefined) {
      this.reader.resolve({ done: false, value: event });
      this.reader = undefined;
      return;
    }
    // A snapshot is the whole state: nothing older can matter to a reader that has not seen it.
    if (event.kind === 'Snapshot') this.waiting = [];
    this.waiting.push(event);
    if (this.waiting.length < this.compactAt) return;
    this.waiting = newestOfEach(this.waiting);
    this.compactAt = Math.max(MAX_WAITING, 2 * this.waiting.length);
  }

  /** Ends the stream; what waits is still read, then it throws the error. */
  finish(error: ReachError | undefined): void {
    if (this.end !== undefined) return;
    this.end = { error };
    this.release();
    if (this.reader === undefined) return;
    if (error === undefined) this.reader.resolve({ done: true, value: undefined });
    else this.reader.reject(error);
    this.reader = undefined;
  }

  next(): Promise<IteratorResult<HealthStreamEvent>> {
    const event = this.waiting.shift();
    if (event !== undefined) return Promise.resolve({ done: false, value: event });
    if (this.end?.error !== undefined) {
      const { error } = this.end;
      this.end = { error: undefined };
      return Promise.reject(error);
    }
    if (this.end !== undefined) return Promise.resolve({ done: true, value: undefined });
    this.reader ??= deferred();
    return this.reader.promise;
  }

  return(): Promise<IteratorResult<HealthStreamEvent>> {
    this.close();
    this.waiting = [];
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private close(): void {
    if (this.end !== undefined) return;
    if (this.host.open) this.host.send(JSON.stringify({ type: 'unsubscribe', id: this.id }));
    this.host.leaveStream(this.id);
    this.finish(undefined);
  }
}

/** Snapshots and resyncs as they are, the last change of each instance, and the last checkpoint, in order. */
export function newestOfEach(events: readonly HealthStreamEvent[]): HealthStreamEvent[] {
  const newest = new Map<string, HealthStreamEvent>();
  events.forEach((event, index) => {
    const key =
      event.kind === 'Change' ? `change ${event.instance.instance}` : event.kind === 'Checkpoint' ? '' : `at ${index}`;
    newest.delete(key);
    newest.set(key, event);
  });
  return [...newest.values()];
}
