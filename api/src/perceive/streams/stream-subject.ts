/** Tells readers where the stream is. */
export interface Checkpoint {
  readonly kind: 'Checkpoint';
  readonly position: string;
}

/** What came before is void; a snapshot follows. */
export interface Resync {
  readonly kind: 'Resync';
  readonly position: string;
  readonly reason: string;
}

/** What a stream yields. `S`: its snapshots and changes. */
export type StreamEvent<S> = S | Checkpoint | Resync;

/**
 * What a stream is about. `T`: the state of one thing, never changed once published; `F`: the part of it that filters
 * look at, kept when the state itself is forgotten; `S`: the events that carry states.
 */
export interface StreamSubject<T, F, S> {
  keyOf(value: T): string;
  facetsOf(value: T): F;
  sameFacets(a: F, b: F): boolean;
  /** The thing is not there any more, and no snapshot has it. */
  isGone(value: T): boolean;
  /** All that is there now. */
  current(): Iterable<T>;
  snapshot(position: string, values: readonly T[]): S;
  change(position: string, value: T): S;
  /** Things that may wait for one reader, and their bytes; beyond that it begins anew. */
  readonly maxWaiting: number;
  readonly maxWaitingBytes: number;
}

/** What one reader gets. */
export interface StreamSight<T, F> {
  /** Whether it is about a thing in this state. One that it was about is followed by the change that ends this. */
  concerns(facets: F): boolean;
  /** A state as this reader may see it; without it, as it is. */
  readonly show?: ((value: T) => T) | undefined;
}
