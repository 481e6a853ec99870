interface Waiter<E> {
  resolve(result: IteratorResult<E>): void;
  reject(error: unknown): void;
}

/**
 * An iterator that gives what `take` finds, as soon as there is something and somebody asks. Unlike a generator it is
 * attached from the moment it is made, and `return()` ends a wait at once.
 */
export abstract class Pulled<E> implements AsyncIterableIterator<E> {
  readonly #waiters: Waiter<E>[] = [];
  #ended = false;
  #failure: { readonly error: unknown } | undefined;

  get ended(): boolean {
    return this.#ended;
  }

  /** The next event, if there is one; it is out of what waits then. */
  protected abstract take(): E | undefined;

  /** Frees what waits; called once, at the end. */
  protected abstract release(): void;

  /** There may be something to take now. */
  protected wake(): void {
    while (this.#waiters.length > 0) {
      const event = this.#ended ? undefined : this.take();
      if (event === undefined && !this.#ended) return;
      const waiter = this.#waiters.shift();
      if (event !== undefined) {
        waiter?.resolve({ done: false, value: event });
      } else if (this.#failure !== undefined) {
        waiter?.reject(this.#failure.error);
        this.#failure = undefined;
      } else {
        waiter?.resolve({ done: true, value: undefined });
      }
    }
  }

  /** Ends it: whoever asks next gets this error. */
  fail(error: unknown): void {
    if (!this.#ended) this.#failure = { error };
    this.#end();
  }

  next(): Promise<IteratorResult<E>> {
    return new Promise((resolve, reject) => {
      this.#waiters.push({ resolve, reject });
      this.wake();
    });
  }

  return(): Promise<IteratorResult<E>> {
    this.#end();
    return Promise.resolve({ done: true, value: undefined });
  }

  throw(error: unknown): Promise<IteratorResult<E>> {
    this.#end();
    return Promise.reject(error);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #end(): void {
    if (!this.#ended) {
      this.#ended = true;
      this.release();
    }
    this.wake();
  }
}
