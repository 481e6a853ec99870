/** A value's place in a list. */
export class ListNode<T> {
  /** @internal */ previous: ListNode<T> | undefined;
  /** @internal */ next: ListNode<T> | undefined;
  /** @internal */ listed = false;

  constructor(readonly value: T) {}
}

/**
 * Values in the order in which they were added; any of them leaves or moves to the end in constant time. For what is
 * first in, first out with early leavers, and for what was used least lately: a Map whose keys are deleted and set
 * again walks over everything that was ever deleted at its front.
 */
export class LinkedList<T> {
  #first: ListNode<T> | undefined;
  #last: ListNode<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): T | undefined {
    return this.#first?.value;
  }

  add(value: T): ListNode<T> {
    const node = new ListNode(value);
    this.#append(node);
    return node;
  }

  moveToEnd(node: ListNode<T>): void {
    if (node === this.#last || !this.remove(node)) return;
    this.#append(node);
  }

  /** False when it was removed before. `node`: of this list. */
  remove(node: ListNode<T>): boolean {
    if (!node.listed) return false;
    const { previous, next } = node;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    node.previous = undefined;
    node.next = undefined;
    node.listed = false;
    this.#size--;
    return true;
  }

  /** What is given out may be removed before the next is asked for; nothing else may. */
  *[Symbol.iterator](): Generator<T> {
    let node = this.#first;
    while (node !== undefined) {
      const { next } = node;
      yield node.value;
      node = next;
    }
  }

  #append(node: ListNode<T>): void {
    node.previous = this.#last;
    if (this.#last === undefined) this.#first = node;
    else this.#last.next = node;
    this.#last = node;
    node.listed = true;
    this.#size++;
  }
}
