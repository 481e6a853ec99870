import { WIRE_LIMITS } from '@agent-reach/sdk/protocol';
import { LinkedList, type ListNode } from './linked-list.js';

const PRIORITIES = WIRE_LIMITS.maxPriority + 1;

/** A place in a queue. */
export interface Ticket<T> {
  readonly queue: string;
  /** Those of one kind can be served by just the same. */
  readonly kind: string;
  readonly priority: number;
  readonly item: T;
  /** Grows with each that enters. */
  readonly arrival: number;
}

type Kind<T> = readonly LinkedList<Ticket<T>>[];

interface Line<T> {
  /** By kind, then by priority, 0 first. */
  readonly kinds: Map<string, Kind<T>>;
  size: number;
}

/**
 * Short queues by name, in each of which the highest priority comes first, and among equals who came first. Who waits in
 * vain holds up its own kind only. A full queue refuses whoever comes, whatever the priority: who was let in keeps the
 * place, so that a wait ends by its turn, its deadline or its caller, and never by somebody else's call. A turn takes
 * time in proportion to the kinds that wait, entering and leaving take none.
 */
export class WaitQueue<T> {
  readonly #lines = new Map<string, Line<T>>();
  readonly #places = new WeakMap<Ticket<T>, ListNode<Ticket<T>>>();
  #total = 0;
  #arrivals = 0;

  /** How many wait in all queues. */
  get total(): number {
    return this.#total;
  }

  /** Queues in which somebody waits. A copy: who is sent back to the end of one must not make it come up again. */
  queues(): readonly string[] {
    return [...this.#lines.keys()];
  }

  size(queue: string): number {
    return this.#lines.get(queue)?.size ?? 0;
  }

  /** Undefined when so many wait already. `priority`: 0 to 9. A limit that was lowered sends nobody away. */
  enter(queue: string, kind: string, priority: number, item: T, maxLength: number): Ticket<T> | undefined {
    if (!Number.isInteger(priority) || priority < 0 || priority >= PRIORITIES) {
      throw new RangeError(`A priority is a whole number from 0 to 9, not ${priority}.`);
    }
    const line = this.#lines.get(queue) ?? { kinds: new Map<string, Kind<T>>(), size: 0 };
    if (line.size >= maxLength) return undefined;
    this.#lines.set(queue, line);
    const lists = line.kinds.get(kind) ?? createKind<T>();
    line.kinds.set(kind, lists);
    line.size++;
    this.#total++;
    const ticket = { queue, kind, priority, item, arrival: this.#arrivals++ };
    const place = lists[priority]?.add(ticket);
    if (place !== undefined) this.#places.set(ticket, place);
    return ticket;
  }

  /** Without effect when it has left before. */
  leave(ticket: Ticket<T>): void {
    const line = this.#lines.get(ticket.queue);
    const lists = line?.kinds.get(ticket.kind);
    const place = this.#places.get(ticket);
    if (line === undefined || place === undefined || lists?.[ticket.priority]?.remove(place) !== true) return;
    this.#total--;
    line.size--;
    if (lists.every(({ size }) => size === 0)) line.kinds.delete(ticket.kind);
    if (line.size === 0) this.#lines.delete(ticket.queue);
  }

  /** Whose turn it is, those of `passed` kinds aside; stays in the queue until its ticket leaves. */
  first(queue: string, passed?: ReadonlySet<string>): Ticket<T> | undefined {
    let best: Ticket<T> | undefined;
    for (const [kind, lists] of this.#lines.get(queue)?.kinds ?? []) {
      if (passed?.has(kind) === true) continue;
      const own = firstOf(lists);
      if (own !== undefined && (best === undefined || goesBefore(own, best))) best = own;
    }
    return best;
  }
}

function createKind<T>(): Kind<T> {
  return Array.from({ length: PRIORITIES }, () => new LinkedList<Ticket<T>>());
}

function firstOf<T>(lists: Kind<T>): Ticket<T> | undefined {
  for (let priority = PRIORITIES - 1; priority >= 0; priority--) {
    const first = lists[priority]?.first;
    if (first !== undefined) return first;
  }
  return undefined;
}

function goesBefore<T>(one: Ticket<T>, other: Ticket<T>): boolean {
  return one.priority === other.priority ? one.arrival < other.arrival : one.priority > other.priority;
}
