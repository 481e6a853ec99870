import { ChangeLog, type Step } from './change-log.js';
import { type Published, StreamReader, type StreamSource } from './stream-reader.js';
import type { StreamEvent, StreamSight, StreamSubject } from './stream-subject.js';

/** How often readers are told where their stream is, ms. */
export const CHECKPOINT_MS = 10_000;

export interface OpenStream<T, F> extends StreamSight<T, F> {
  /** The position of an earlier event, to go on from there. */
  readonly after?: string | undefined;
  /** Asked when the first snapshot would be empty: what it holds instead, once that can be said. */
  readonly elsewhere?: ((reader: { readonly ended: boolean }) => Promise<readonly T[]>) | undefined;
}

/**
 * States as a stream for any number of readers, each attached at once and with bounded memory. Positions are
 * `epoch.counter`; an epoch is one life of this server. Readers that see the same get the same event object, so that
 * transports can print it once.
 */
export class StreamHub<T, F, S extends { readonly position: string }> {
  readonly #log: ChangeLog<Published<T, S>, F>;
  readonly #readers = new Set<StreamReader<T, F, S>>();
  readonly #source: StreamSource<T, F, S>;
  #lastCheckpoint: StreamEvent<S> & { readonly position: string } = { kind: 'Checkpoint', position: '' };

  constructor(
    private readonly epoch: string,
    private readonly subject: StreamSubject<T, F, S>,
  ) {
    this.#log = new ChangeLog((a, b) => subject.sameFacets(a, b));
    this.#source = {
      maxWaiting: subject.maxWaiting,
      maxWaitingBytes: subject.maxWaitingBytes,
      snapshot: (sight) => subject.snapshot(this.#position(this.#log.counter), this.#seen(sight)),
      change: (step, sight) => this.#change(step, sight),
      checkpoint: (counter) => this.#checkpoint(counter),
      left: (reader) => this.#readers.delete(reader),
    };
  }

  /** @param bytes about what the state takes, beside what every one does */
  publish(state: T, bytes = 0): void {
    const { subject } = this;
    const step = this.#log.add({
      key: subject.keyOf(state),
      value: { state, event: subject.change(this.#position(this.#log.counter + 1), state) },
      facets: subject.facetsOf(state),
      isGone: subject.isGone(state),
      bytes,
    });
    for (const reader of this.#readers) reader.offer(step);
  }

  /** Tells every reader its position; the composition root calls it every CHECKPOINT_MS. */
  checkpoint(): void {
    for (const reader of this.#readers) reader.checkpoint(this.#log.counter);
  }

  /** Ends every stream, when the server stops. */
  close(): void {
    for (const reader of this.#readers) void reader.return();
  }

  /**
   * Begins with a snapshot, or after the position `after` with what changed since; Resync and a snapshot where that
   * can't be told. A reader hears of all that concerns it, and once of each thing that no longer does, if it had that.
   */
  open({ after, elsewhere, ...sight }: OpenStream<T, F>): StreamReader<T, F, S> {
    const reader = new StreamReader(this.#source, sight);
    const { counter } = this.#log;
    const position = this.#position(counter);
    const missed = after === undefined ? undefined : this.#since(after);
    if (missed === undefined) {
      if (after !== undefined) {
        reader.begin({ kind: 'Resync', position, reason: 'the server was restarted since, or too much has changed' });
      }
      const values = this.#seen(sight);
      const snapshot = (found: readonly T[]) => this.subject.snapshot(position, found);
      if (values.length > 0 || elsewhere === undefined) reader.begin(snapshot(values));
      else void reader.beginWith(elsewhere(reader).then(snapshot));
    } else {
      reader.resume(missed, counter);
    }
    this.#readers.add(reader);
    return reader;
  }

  #seen({ concerns, show }: StreamSight<T, F>): T[] {
    const { subject } = this;
    const seen: T[] = [];
    for (const value of subject.current()) {
      if (concerns(subject.facetsOf(value))) seen.push(show === undefined ? value : show(value));
    }
    return seen;
  }

  #change({ counter, value }: Step<Published<T, S>, F>, { show }: StreamSight<T, F>): S {
    return show === undefined ? value.event : this.subject.change(this.#position(counter), show(value.state));
  }

  #checkpoint(counter: number): StreamEvent<S> {
    const position = this.#position(counter);
    if (this.#lastCheckpoint.position !== position) this.#lastCheckpoint = { kind: 'Checkpoint', position };
    return this.#lastCheckpoint;
  }

  #position(counter: number): string {
    return `${this.epoch}.${counter}`;
  }

  #since(after: string): readonly Step<Published<T, S>, F>[] | undefined {
    const [epoch, text = ''] = after.split('.');
    return epoch === this.epoch && /^\d+$/.test(text) ? this.#log.since(Number(text)) : undefined;
  }
}
