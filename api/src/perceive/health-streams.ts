import type { HealthFilter, HealthStreamEvent, InstanceHealth, InstanceRef } from '@agent-reach/sdk/protocol';
import type { HealthStreams } from './ports.js';

/** Changes kept for subscribers who come back with `after`. */
const KEPT_CHANGES = 20_000;
export const CHECKPOINT_MS = 10_000;

interface Numbered {
  readonly counter: number;
  readonly health: InstanceHealth;
}

/**
 * Health as a stream for any number of readers. Positions are `epoch.counter`; an epoch is one life of this server.
 * Memory per reader is bounded by the number of instances: a reader that lags gets the newest state of each.
 */
export class HealthHub implements HealthStreams {
  #counter = 0;
  readonly #kept: Numbered[] = [];
  readonly #readers = new Set<HealthReader>();

  constructor(
    private readonly epoch: string,
    private readonly snapshot: () => readonly InstanceHealth[],
  ) {}

  publish(health: InstanceHealth): void {
    const change = { counter: ++this.#counter, health };
    this.#kept.push(change);
    if (this.#kept.length > 2 * KEPT_CHANGES) this.#kept.splice(0, this.#kept.length - KEPT_CHANGES);
    for (const reader of this.#readers) reader.offer(change);
  }

  /** Tells every reader its position; the composition root calls it every CHECKPOINT_MS. */
  checkpoint(): void {
    for (const reader of this.#readers) reader.checkpoint(this.#counter);
  }

  /** Ends every stream, when the server stops. */
  close(): void {
    for (const reader of this.#readers) void reader.return();
  }

  open(options: Parameters<HealthStreams['open']>[0]): AsyncIterableIterator<HealthStreamEvent> {
    const concerns = (health: InstanceHealth) =>
      options.visible(health.agent.slice(0, health.agent.indexOf('/'))) && passes(options.filter, health);
    const position = (counter: number) => `${this.epoch}.${counter}`;
    const reader = new HealthReader(concerns, position, () => this.#readers.delete(reader));

    const missed = options.after === undefined ? undefined : this.#since(options.after);
    if (options.after !== undefined && missed === undefined) {
      reader.begin({
        kind: 'Resync',
        position: position(this.#counter),
        reason: 'the server was restarted since, or too much has changed',
      });
    }
    if (missed === undefined) {
      const instances = this.snapshot().filter(concerns);
      reader.begin({ kind: 'Snapshot', position: position(this.#counter), instances });
    } else {
      for (const change of missed) reader.offer(change);
      reader.checkpoint(this.#counter);
    }
    this.#readers.add(reader);
    return reader;
  }

  #since(after: string): Numbered[] | undefined {
    const [epoch, text = ''] = after.split('.');
    const counter = Number(text);
    if (epoch !== this.epoch || !Number.isInteger(counter) || counter < 0 || counter > this.#counter) return undefined;
    const oldest = this.#kept[0]?.counter ?? this.#counter + 1;
    return counter >= oldest - 1 ? this.#kept.filter((change) => change.counter > counter) : undefined;
  }
}

function passes(filter: HealthFilter | undefined, health: InstanceHealth): boolean {
  if (filter === undefined) return true;
  if (filter.namespace !== undefined && !health.agent.startsWith(`${filter.namespace}/`)) return false;
  if (filter.agent !== undefined && filter.agent !== health.agent) return false;
  return filter.capability === undefined || health.capabilities.includes(filter.capability);
}

/** One reader: what it has not taken yet, coalesced by instance. */
class HealthReader implements AsyncIterableIterator<HealthStreamEvent> {
  readonly #beginning: HealthStreamEvent[] = [];
  readonly #changes = new Map<InstanceRef, Numbered>();
  #checkpoint: number | undefined;
  #waiting: ((result: IteratorResult<HealthStreamEvent>) => void) | undefined;
  #ended = false;

  constructor(
    private readonly concerns: (health: InstanceHealth) => boolean,
    private readonly position: (counter: number) => string,
    private readonly onEnd: () => void,
  ) {}

  begin(event: HealthStreamEvent): void {
    this.#beginning.push(event);
  }

  offer(change: Numbered): void {
    if (!this.concerns(change.health)) return;
    // Deleting first moves it to the end, so that positions stay in order.
    this.#changes.delete(change.health.instance);
    this.#changes.set(change.health.instance, change);
    this.#wake();
  }

  checkpoint(counter: number): void {
    this.#checkpoint = counter;
    this.#wake();
  }

  next(): Promise<IteratorResult<HealthStreamEvent>> {
    if (this.#ended) return Promise.resolve({ done: true, value: undefined });
    const event = this.#take();
    if (event !== undefined) return Promise.resolve({ done: false, value: event });
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  return(): Promise<IteratorResult<HealthStreamEvent>> {
    this.#ended = true;
    this.#changes.clear();
    this.onEnd();
    this.#waiting?.({ done: true, value: undefined });
    this.#waiting = undefined;
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #wake(): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    const event = this.#take();
    if (event === undefined) return;
    this.#waiting = undefined;
    waiting({ done: false, value: event });
  }

  #take(): HealthStreamEvent | undefined {
    const beginning = this.#beginning.shift();
    if (beginning !== undefined) return beginning;
    for (const [ref, change] of this.#changes) {
      this.#changes.delete(ref);
      return { kind: 'Change', position: this.position(change.counter), instance: change.health };
    }
    if (this.#checkpoint === undefined) return undefined;
    const counter = this.#checkpoint;
    this.#checkpoint = undefined;
    return { kind: 'Checkpoint', position: this.position(counter) };
  }
}
