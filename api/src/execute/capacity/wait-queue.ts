import { WIRE_LIMITS } from '@agent-reach/sdk/protocol';
import { LinkedList, type ListNode } from './linked-list.js';

const PRIORITIES = WIRE_LIMITS.maxPriority + 1;

/** A place in a queue. */
export interface Ticket<T> {
  readonly queue: string;
  readonly priority: number;
  /** @internal */
  readonly place: ListNode<T>;
}

interface Line<T> {
  /** By priority, 0 first. */
  readonly byPriority: readonly LinkedList<T>[];
  size: number;
}

/**
 * Short queues by name, in each of which the highest priority comes first, and among equals who came first. All steps
 * take constant time. A full queue refuses whoever comes, whatever the priority: who was let in keeps the place, so
 * that a wait ends by its turn, its deadline or its caller, and never by somebody else's call.
 */
export class WaitQueue<T> {
  readonly #lines = new Map<string, Line<T>>();
  #total = 0;

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
  enter(queue: string, priority: number, item: T, maxLength: number): Ticket<T> | undefined {
    const line = this.#lines.get(queue) ?? createLine<T>();
    const list = line.byPriority[priority];
    if (list === undefined) throw new RangeError(`A priority is a whole number from 0 to 9, not ${priority}.`);
    if (line.size >= maxLength) return undefined;
    this.#lines.set(queue, line);
    line.size++;
    this.#total++;
    return { queue, priority, place: list.add(item) };
  }

  /** Without effect when it has left before. */
  leave({ queue, priority, place }: Ticket<T>): void {
    const line = this.#lines.get(queue);
    if (line?.byPriority[priority]?.remove(place) !== true) return;
    this.#total--;
    line.size--;
    if (line.size === 0) this.#lines.delete(queue);
  }

  /** Whose turn it is; stays in the queue until its ticket leaves. */
  first(queue: string): T | undefined {
    return this.waiting(queue, 1)[0];
  }

  /** The first who wait now, in the order of their turns. A copy: anybody may enter and leave while it is read. */
  waiting(queue: string, atMost = Number.POSITIVE_INFINITY): readonly T[] {
    const line = this.#lines.get(queue);
    const items: T[] = [];
    for (let priority = PRIORITIES - 1; line !== undefined && priority >= 0; priority--) {
      for (const item of line.byPriority[priority] ?? []) {
        if (items.length >= atMost) return items;
        items.push(item);
      }
    }
    return items;
  }
}

function createLine<T>(): Line<T> {
  return { byPriority: Array.from({ length: PRIORITIES }, () => new LinkedList<T>()), size: 0 };
}
