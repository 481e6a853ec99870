import type { CallerRef } from '../protocol/index.js';

/**
 * Callers whose recent calls to one instance failed, with the share that succeeded, 0 to 1. Hardly any instance has one,
 * and decisions ask many instances whether they have: so it holds nothing until there is something to hold.
 */
export class CallerHistory {
  size = 0;
  #shares: Map<CallerRef, number> | undefined;

  get(caller: CallerRef): number | undefined {
    return this.#shares?.get(caller);
  }

  has(caller: CallerRef): boolean {
    return this.#shares?.has(caller) === true;
  }

  set(caller: CallerRef, share: number): void {
    this.#shares ??= new Map();
    this.#shares.set(caller, share);
    this.size = this.#shares.size;
  }

  delete(caller: CallerRef): void {
    this.#shares?.delete(caller);
    this.size = this.#shares?.size ?? 0;
  }
}
