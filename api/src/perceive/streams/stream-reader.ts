import type { Step } from './change-log.js';
import { Pulled } from './pulled.js';
import type { StreamEvent, StreamSight } from './stream-subject.js';

/** A state as it was published, and its event, which is the same object for all who see it as it is. */
export interface Published<T, S> {
  readonly state: T;
  readonly event: S;
}

/** What a reader needs of its hub. */
export interface StreamSource<T, F, S> {
  readonly maxWaiting: number;
  readonly maxWaitingBytes: number;
  snapshot(sight: StreamSight<T, F>): S & { readonly position: string };
  change(step: Step<Published<T, S>, F>, sight: StreamSight<T, F>): S;
  checkpoint(counter: number): StreamEvent<S>;
  left(reader: StreamReader<T, F, S>): void;
}

const TOO_MUCH = 'too much changed while nothing was read';

/** A change that is to be read. */
interface Waiting<T, F, S> {
  readonly step: Step<Published<T, S>, F>;
  /** The reader has this thing, by what it has read. */
  readonly has: boolean;
}

/**
 * One reader: what it has not taken yet, only the newest state of each thing. One that lags too far gets Resync and a
 * snapshot instead of what it missed.
 */
export class StreamReader<T, F, S> extends Pulled<StreamEvent<S>> {
  readonly #beginning: StreamEvent<S>[] = [];
  /** What a reader who came back missed, read from the index on; one list for all to whom the same matters. */
  #missed: readonly Step<Published<T, S>, F>[] = [];
  #nextMissed = 0;
  readonly #changes = new Map<string, Waiting<T, F, S>>();
  #bytes = 0;
  /** Something has to come first that is not there yet. */
  #isHeld = false;
  /** Why everything has to be read anew. */
  #restart: string | undefined;
  #checkpoint: number | undefined;

  constructor(
    private readonly source: StreamSource<T, F, S>,
    private readonly sight: StreamSight<T, F>,
  ) {
    super();
  }

  /** What comes before any change. */
  begin(event: StreamEvent<S>): void {
    this.#beginning.push(event);
  }

  /** Begins with `event`, once that is there; until then nothing is given out. */
  async beginWith(event: Promise<StreamEvent<S>>): Promise<void> {
    this.#isHeld = true;
    this.#beginning.push(await event);
    this.#isHeld = false;
    this.wake();
  }

  /** Goes on with what was missed, each thing once. */
  resume(missed: readonly Step<Published<T, S>, F>[], counter: number): void {
    const own = missed.filter((step) => this.#had(step) || this.sight.concerns(step.facets));
    const bytes = own.reduce((total, step) => total + step.bytes, 0);
    if (own.length > this.source.maxWaiting || bytes > this.source.maxWaitingBytes) this.#restart = TOO_MUCH;
    else this.#missed = own.length === missed.length ? missed : own;
    this.#checkpoint = counter;
  }

  offer(step: Step<Published<T, S>, F>): void {
    if (this.#restart !== undefined) return;
    const { key, facets } = step;
    const waiting = this.#changes.get(key);
    const has = waiting?.has ?? this.#had(step);
    // Dropping first moves it to the end, so that positions stay in order.
    if (waiting !== undefined) this.#drop(waiting.step);
    if (!has && !this.sight.concerns(facets)) return;
    this.#changes.set(key, { step, has });
    this.#bytes += step.bytes;
    if (this.#changes.size > this.source.maxWaiting || this.#bytes > this.source.maxWaitingBytes) {
      this.restart(TOO_MUCH);
    }
    this.wake();
  }

  /** Lets the reader begin anew: Resync and a snapshot come next. */
  restart(reason: string): void {
    this.#clear();
    this.#restart = reason;
    this.wake();
  }

  checkpoint(counter: number): void {
    this.#checkpoint = counter;
    this.wake();
  }

  protected take(): StreamEvent<S> | undefined {
    if (this.#isHeld) return undefined;
    const beginning = this.#beginning.shift();
    if (beginning !== undefined) return beginning;
    const missed = this.#takeMissed();
    if (missed !== undefined) return missed;
    if (this.#restart !== undefined) {
      const reason = this.#restart;
      this.#restart = undefined;
      const snapshot = this.source.snapshot(this.sight);
      this.#beginning.push(snapshot);
      return { kind: 'Resync', position: snapshot.position, reason };
    }
    for (const { step } of this.#changes.values()) {
      this.#drop(step);
      return this.source.change(step, this.sight);
    }
    if (this.#checkpoint === undefined) return undefined;
    const counter = this.#checkpoint;
    this.#checkpoint = undefined;
    return this.source.checkpoint(counter);
  }

  protected release(): void {
    this.#clear();
    this.#beginning.length = 0;
    this.source.left(this);
  }

  #takeMissed(): S | undefined {
    const step = this.#missed[this.#nextMissed++];
    if (step !== undefined) return this.source.change(step, this.sight);
    this.#missed = [];
    return undefined;
  }

  #had({ before }: Step<Published<T, S>, F>): boolean {
    return before !== undefined && this.sight.concerns(before);
  }

  #drop({ key, bytes }: Step<Published<T, S>, F>): void {
    this.#bytes -= bytes;
    this.#changes.delete(key);
  }

  #clear(): void {
    this.#missed = [];
    this.#changes.clear();
    this.#bytes = 0;
  }
}
