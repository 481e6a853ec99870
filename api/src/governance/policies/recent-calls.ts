import type { RecordedDecision } from '@agent-reach/sdk/decide';
import type { RecentCallsPort } from '../../execute/ports.js';
import { CallSampler } from './call-sampler.js';

/** A recorded call, as text so that its memory is known and its way to another thread costs a copy of bytes only. */
export interface RecentCall {
  /** When it was decided, wall clock, ms since 1970. */
  readonly wall: number;
  readonly namespace: string;
  /** A RecordedDecision as JSON. */
  readonly text: string;
}

export interface RecentCallsOptions {
  /** How long a call is kept. Default: one hour. */
  readonly maxAgeMs?: number;
  readonly maxCalls?: number;
  /** Memory of all together. */
  readonly maxBytes?: number;
  /** How many ordinary calls are recorded in one second at most, about. Each takes some 0.1 ms. */
  readonly maxPerSecond?: number;
  /** A number in [0, 1): which of several calls is taken. */
  readonly random?: () => number;
}

interface KeptCall extends RecentCall {
  readonly bytes: number;
}

/** An object with a text and three numbers around the characters. */
const OVERHEAD_BYTES = 100;
/** Characters of a recorded call with ten candidates; recording costs time in proportion to them. */
const ORDINARY_LENGTH = 2_500;

/**
 * Recent calls, as the router decided them: a sample that is bounded in age, number and memory.
 *
 * Every call is recorded at first. When the ring is full, one of each two neighbours goes and from then on one of each
 * two calls is recorded, then one of four, and so on, so that what is kept stays an even sample of the whole hour. When
 * most of it has aged away, calls are recorded more densely again.
 */
export class RecentCalls implements RecentCallsPort {
  readonly #maxAgeMs: number;
  readonly #maxCalls: number;
  readonly #maxBytes: number;
  readonly #random: () => number;
  readonly #sampler: CallSampler;
  /** Oldest first, from `#head` on. */
  #calls: KeptCall[] = [];
  #head = 0;
  #bytes = 0;

  constructor(options: RecentCallsOptions = {}) {
    this.#maxAgeMs = options.maxAgeMs ?? 3_600_000;
    this.#maxCalls = options.maxCalls ?? 10_000;
    this.#maxBytes = options.maxBytes ?? 32 * 1024 * 1024;
    this.#random = options.random ?? Math.random;
    this.#sampler = new CallSampler({ perSecond: options.maxPerSecond ?? 200, random: this.#random });
  }

  get size(): number {
    return this.#calls.length - this.#head;
  }

  /** About how much memory it takes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** One of so many calls is recorded at present. */
  get every(): number {
    return this.#sampler.every;
  }

  wants(wall: number): boolean {
    return this.#sampler.wants(wall);
  }

  add(recorded: RecordedDecision, wall: number): void {
    const text = JSON.stringify(recorded);
    this.#sampler.took(Math.max(1, text.length / ORDINARY_LENGTH));
    const bytes = OVERHEAD_BYTES + bytesOf(text);
    if (bytes > this.#maxBytes) return;
    this.expire(wall);
    while (this.size >= this.#maxCalls || this.#bytes + bytes > this.#maxBytes) this.#halve();
    this.#calls.push({ wall, namespace: recorded.request.namespace, text, bytes });
    this.#bytes += bytes;
  }

  /** Frees what is too old, and records more densely again when little is left. */
  expire(wall: number): void {
    const oldest = wall - this.#maxAgeMs;
    for (;;) {
      const call = this.#calls[this.#head];
      if (call === undefined || call.wall > oldest) break;
      this.#bytes -= call.bytes;
      this.#head += 1;
    }
    if (this.#head * 2 > this.#calls.length) {
      this.#calls = this.#calls.slice(this.#head);
      this.#head = 0;
    }
    // Far below a half, which is what halving leaves: otherwise the two would take turns.
    if (this.size * 4 >= this.#maxCalls || this.#bytes * 4 >= this.#maxBytes) return;
    while (this.#sampler.thicken()) if (this.size > 0) return;
  }

  /** The calls to one namespace's agents, the oldest first. */
  snapshot(namespace: string, wall: number): readonly RecentCall[] {
    this.expire(wall);
    return this.#calls.slice(this.#head).filter((call) => call.namespace === namespace);
  }

  #halve(): void {
    const kept: KeptCall[] = [];
    this.#bytes = 0;
    for (let index = this.#head; index < this.#calls.length; index += 2) {
      const call = this.#calls[index + (this.#random() < 0.5 ? 0 : 1)];
      if (call === undefined) continue;
      kept.push(call);
      this.#bytes += call.bytes;
    }
    this.#calls = kept;
    this.#head = 0;
    this.#sampler.thin();
  }
}

/** V8 keeps a text with one character beyond Latin-1 in two bytes each. */
function bytesOf(text: string): number {
  return (/[\u0100-\uffff]/.test(text) ? 2 : 1) * text.length;
}
