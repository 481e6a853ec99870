/** Something that was started and has to end. */
export interface Part {
  readonly name: string;
  stop(): Promise<void> | void;
  /** Ends it at once, for a person who will not wait. */
  kill?(): void;
}

/** Parts in the order in which they were started; they are stopped in the reverse order, each once. */
export class StopOrder {
  readonly #parts: Part[] = [];
  readonly #onError: (part: string, error: unknown) => void;

  constructor(onError: (part: string, error: unknown) => void) {
    this.#onError = onError;
  }

  add(part: Part): void {
    this.#parts.push(part);
  }

  /** Stops every part; one that fails does not keep the others running. */
  async stop(): Promise<void> {
    for (let part = this.#parts.at(-1); part !== undefined; part = this.#parts.at(-1)) {
      try {
        await part.stop();
      } catch (error) {
        this.#onError(part.name, error);
      }
      // Only now: until a part has ended, `kill` must still find it.
      this.#parts.pop();
    }
  }

  /** Ends at once whatever has not ended yet. */
  kill(): void {
    for (const part of this.#parts.splice(0).reverse()) {
      try {
        part.kill?.();
      } catch (error) {
        this.#onError(part.name, error);
      }
    }
  }
}
