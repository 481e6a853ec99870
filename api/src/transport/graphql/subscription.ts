import type { ExecutionResult } from 'graphql';
import type { Executed } from './shared-executions.js';

export interface SubscriptionDeps {
  readonly events: AsyncIterator<object>;
  readonly execute: (event: object) => Executed | Promise<Executed>;
  /** A result with errors, as this subscriber gets it, as JSON. */
  readonly printErrors: (result: ExecutionResult) => string;
  /** Sends a result; a promise when the next one has to wait. */
  readonly send: (payload: string) => Promise<void> | void;
}

/**
 * A subscription as graphql-ws drives it: an iterator that yields nothing and sends each result by itself, since that
 * library would print every result once for each subscriber. Its `return()` ends a wait at once.
 */
export class Subscription implements AsyncGenerator<never, void, void> {
  #isOver = false;

  constructor(private readonly deps: SubscriptionDeps) {}

  /** Resolves when the last event was sent. Rejects with what ended the events. */
  async next(): Promise<IteratorReturnResult<undefined>> {
    const { events, execute, printErrors, send } = this.deps;
    while (!this.#isOver) {
      const event = await events.next();
      if (event.done === true) break;
      const pending = execute(event.value);
      const { result, text } = pending instanceof Promise ? await pending : pending;
      // Whoever unsubscribed meanwhile may have begun another subscription under the same id.
      if (this.#isOver) break;
      const sent = send(text ?? printErrors(result));
      if (sent !== undefined) await sent;
    }
    return { done: true, value: undefined };
  }

  async return(): Promise<IteratorReturnResult<undefined>> {
    this.#isOver = true;
    await this.deps.events.return?.();
    return { done: true, value: undefined };
  }

  async throw(error: unknown): Promise<never> {
    await this.return();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }
}
