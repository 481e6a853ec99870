import type { InstanceRef, TaskView } from '@agent-reach/sdk/protocol';

/** A dispatch that is no task's present one any more. */
export interface PastDispatch {
  readonly instance: InstanceRef;
  /** Its task, when it ended as UNKNOWN: the result may still come. */
  readonly unknown: TaskView | undefined;
}

const MAX_REMEMBERED = 10_000;

/** What results may still come for: their agents have to hear that nobody waits for them. The oldest are forgotten. */
export class PastDispatches {
  readonly #past = new Map<string, PastDispatch>();

  get(dispatchId: string): PastDispatch | undefined {
    return this.#past.get(dispatchId);
  }

  add(dispatchId: string, past: PastDispatch): void {
    this.#past.delete(dispatchId);
    this.#past.set(dispatchId, past);
    if (this.#past.size <= MAX_REMEMBERED) return;
    for (const oldest of this.#past.keys()) {
      this.#past.delete(oldest);
      return;
    }
  }
}
