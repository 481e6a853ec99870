import type { ReachError, SubscribeFrame } from '../protocol/index.js';
import { type Deferred, deferred } from './deferred.js';

/** What every event of every stream has. */
export interface StreamEvent {
  readonly kind: 'Snapshot' | 'Change' | 'Checkpoint' | 'Resync';
  readonly position: string;
}

/** What a stream needs of its Reach. */
export interface StreamHost {
  readonly open: boolean;
  send(text: string): boolean;
  leaveStream(id: string): void;
}

/** A stream as its connection sees it, whatever its events are. */
export interface OpenStream {
  /** Sends the subscription; called on each new connection. */
  subscribe(): void;
  onEvent(event: StreamEvent): void;
  finish(error: ReachError | undefined): void;
}

/** What a stream is about. */
export interface StreamRequest<E extends StreamEvent> extends Pick<SubscribeFrame, 'stream' | 'filter' | 'after'> {
  /** Aborting it ends the stream. */
  readonly signal?: AbortSignal | undefined;
  /** What a change is about: a slow reader gets only the newest of each. */
  keyOf(change: Extract<E, { kind: 'Change' }>): string;
}

const MAX_WAITING = 1024;

/**
 * Events as they come, over reconnects: it goes on after the last position by itself. A reader that is slow gets the
 * newest change of each thing instead of every step, so what waits is bounded by the number of things.
 */
export class EventStream<E extends StreamEvent> implements AsyncIterableIterator<E>, OpenStream {
  private waiting: E[] = [];
  private compactAt = MAX_WAITING;
  private reader: Deferred<IteratorResult<E>> | undefined;
  private end: { readonly error: ReachError | undefined } | undefined;
  private position: string | undefined;
  private readonly release: () => void;

  constructor(
    private readonly id: string,
    private readonly request: StreamRequest<E>,
    private readonly host: StreamHost,
  ) {
    this.position = request.after;
    const { signal } = request;
    const abort = () => this.close();
    signal?.addEventListener('abort', abort, { once: true });
    this.release = () => signal?.removeEventListener('abort', abort);
    if (signal?.aborted) this.close();
  }

  subscribe(): void {
    const { stream, filter } = this.request;
    this.host.send(JSON.stringify({ type: 'subscribe', id: this.id, stream, after: this.position, filter }));
  }

  onEvent(event: E): void {
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
    this.waiting = newestOfEach(this.waiting, this.request.keyOf);
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

  next(): Promise<IteratorResult<E>> {
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

  return(): Promise<IteratorResult<E>> {
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

/** Snapshots and resyncs as they are, the last change of each thing, and the last checkpoint, in order. */
export function newestOfEach<E extends StreamEvent>(
  events: readonly E[],
  keyOf: (change: Extract<E, { kind: 'Change' }>) => string,
): E[] {
  const newest = new Map<string, E>();
  events.forEach((event, index) => {
    let key = `at ${index}`;
    if (event.kind === 'Change') key = `change ${keyOf(event as Extract<E, { kind: 'Change' }>)}`;
    else if (event.kind === 'Checkpoint') key = 'checkpoint';
    newest.delete(key);
    newest.set(key, event);
  });
  return [...newest.values()];
}
