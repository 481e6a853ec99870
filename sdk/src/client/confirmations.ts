import { type OutcomeText, resultFrame } from './outcome-text.js';
import type { RequestKey } from './record/request-record.js';

/** Beyond it the oldest is not sent again by itself; the record still has it. */
const MAX_UNCONFIRMED = 10_000;

interface Unconfirmed {
  readonly key: RequestKey;
  readonly outcome: OutcomeText;
}

/** Results of tasks that the server has not confirmed: they are sent again at each registration. */
export class Confirmations {
  private readonly waiting = new Map<string, Unconfirmed>();

  get size(): number {
    return this.waiting.size;
  }

  await(dispatchId: string, key: RequestKey, outcome: OutcomeText): void {
    this.waiting.set(dispatchId, { key, outcome });
    if (this.waiting.size <= MAX_UNCONFIRMED) return;
    for (const oldest of this.waiting.keys()) {
      this.waiting.delete(oldest);
      return;
    }
  }

  /** The server has stored the result of this dispatch. Answers which request that was, once. */
  confirm(dispatchId: string): RequestKey | undefined {
    const confirmed = this.waiting.get(dispatchId);
    this.waiting.delete(dispatchId);
    return confirmed?.key;
  }

  /** The results as frames. */
  *frames(): Iterable<string> {
    for (const [dispatchId, { outcome }] of this.waiting) yield resultFrame(dispatchId, outcome);
  }
}
