import { type FoundCapability, type FoundFrame, ReachError, WIRE_LIMITS, type WireError } from '../protocol/index.js';
import { Faults } from './faults.js';
import type { TimingWheel, WheelEntry } from './wheel.js';

/** Where to look, and for how many. */
export interface FindOptions {
  /** Default: your own namespace. */
  readonly namespace?: string;
  /** At most so many, 1 to 50; default 10. */
  readonly limit?: number;
  /** Time for everything, waiting for a connection included, in ms; default as for calls. */
  readonly timeoutMs?: number;
}

/** What searches need of the connection. */
export interface FindLink {
  readonly open: boolean;
  send(text: string): boolean;
  nextId(): string;
}

interface PendingFind {
  readonly id: string;
  readonly frame: string;
  readonly resolve: (found: readonly FoundCapability[]) => void;
  readonly reject: (error: ReachError) => void;
  timer: WheelEntry | undefined;
}

/** The searches of one connection that have no answer yet. A search changes nothing, so a new connection repeats it. */
export class Finds {
  private readonly pending = new Map<string, PendingFind>();
  private ended: ReachError | undefined;

  constructor(
    private readonly link: FindLink,
    private readonly wheel: TimingWheel,
    private readonly timeoutMs: number,
  ) {}

  /** Rejects with INVALID_INPUT, CONNECT_FAILED, DEADLINE_EXCEEDED, or what the server answers. */
  start(text: string, options: FindOptions = {}): Promise<readonly FoundCapability[]> {
    return new Promise((resolve, reject) => {
      check(text, options);
      if (this.ended !== undefined) throw this.ended;
      const { namespace, limit, timeoutMs = this.timeoutMs } = options;
      const id = this.link.nextId();
      const frame = JSON.stringify({ type: 'find', id, text, namespace, limit });
      const find: PendingFind = { id, frame, resolve, reject, timer: undefined };
      this.pending.set(id, find);
      find.timer = this.wheel.add(timeoutMs, () => this.take(id)?.reject(this.overdue(timeoutMs)));
      if (this.link.open) this.link.send(frame);
    });
  }

  onFound(frame: FoundFrame): void {
    this.take(frame.id)?.resolve(frame.capabilities);
  }

  /** The server refused a frame. True if it was one of these. */
  onError(ref: string, error: WireError): boolean {
    const find = this.take(ref);
    find?.reject(ReachError.fromWire(error));
    return find !== undefined;
  }

  /** Asks on a new connection what has no answer yet. */
  onOpen(): void {
    for (const { frame } of this.pending.values()) this.link.send(frame);
  }

  /** Ends all searches, and those that are still to come, with this error. */
  end(error: ReachError): void {
    this.ended = error;
    for (const { id } of [...this.pending.values()]) this.take(id)?.reject(error);
  }

  private overdue(ms: number): ReachError {
    return this.link.open
      ? new ReachError('DEADLINE_EXCEEDED', `the server did not answer the search within ${ms} ms`)
      : new ReachError('CONNECT_FAILED', `no connection to the server within ${ms} ms; nothing was searched`);
  }

  private take(id: string): PendingFind | undefined {
    const find = this.pending.get(id);
    if (find === undefined) return undefined;
    this.pending.delete(id);
    if (find.timer !== undefined) this.wheel.remove(find.timer);
    return find;
  }
}

function check(text: string, { namespace, limit, timeoutMs }: FindOptions): void {
  const faults = new Faults();
  faults.text('text', text, 1, WIRE_LIMITS.maxSearchText);
  if (namespace !== undefined) faults.text('namespace', namespace, 1, 64);
  if (limit !== undefined) faults.integer('limit', limit, 1, WIRE_LIMITS.maxFound);
  if (timeoutMs !== undefined) faults.integer('timeoutMs', timeoutMs, 1, WIRE_LIMITS.maxTimeoutMs);
  faults.raise('findCapabilities');
}
