import type { InstanceRef } from '@agent-reach/sdk/protocol';

/** How often a call that waits for an instance to take it again looks whether another has come meanwhile, ms. */
export const LOOK_ELSEWHERE_MS = 1_000;

/** The instances that refused one call and said for how long: until then they are not asked again. Times are monotonic ms. */
export class Rests {
  readonly #until = new Map<InstanceRef, number>();

  refused(instance: InstanceRef, until: number): void {
    this.#until.set(instance, until);
  }

  has(instance: InstanceRef): boolean {
    return this.#until.has(instance);
  }

  /** Forgets those whose time is over, and answers who is left. */
  at(monotonic: number): Set<InstanceRef> {
    for (const [instance, until] of this.#until) if (until <= monotonic) this.#until.delete(instance);
    return new Set(this.#until.keys());
  }

  /** Whose time is over first, and when; undefined when nobody rests. */
  first(): readonly [instance: InstanceRef, until: number] | undefined {
    let first: readonly [InstanceRef, number] | undefined;
    for (const each of this.#until) if (first === undefined || each[1] < first[1]) first = each;
    return first;
  }
}
