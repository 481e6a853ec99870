import type { Candidate, RouteInstance } from '../candidate.js';

/** When an instance is due: the lower, the sooner. */
export interface Turn {
  /** Where it stands now. */
  due: number;
  /** Where it stood when it was last chosen. */
  before: number;
  /** Which choice of this capability that was. */
  choice: number;
}

/** A round's memory of some instances, as plain JSON. */
export interface RoundState {
  readonly choices: number;
  /** In the order of the instances; null: never chosen. */
  readonly turns: readonly (Turn | null)[];
}

/** Longer waits than this all count alike. */
const LONGEST_WAIT = 1_000_000;

/** The turns of one capability. */
export class Round {
  readonly #turns = new WeakMap<RouteInstance, Turn>();
  #choices = 0;
  /** The last chosen one of all: its name, since it must not be kept alive, and its turn. */
  #last: { readonly ref: string; readonly turn: Turn } | undefined;

  turn(instance: RouteInstance): Turn | undefined {
    return this.#turns.get(instance);
  }

  /** For how many choices it was not chosen. */
  waited(turn: Turn | undefined): number {
    return turn === undefined ? LONGEST_WAIT : Math.min(LONGEST_WAIT, this.#choices - turn.choice);
  }

  /** Where the one stood that was last chosen among these; 0 when none of them ever was. */
  start(pool: readonly Candidate[]): number {
    const last = this.#last;
    if (last !== undefined) {
      // Mostly it is among them, and nobody's turn need be looked up to find that out.
      for (const { instance } of pool) if (instance.ref === last.ref) return last.turn.before;
    }
    let latest: Turn | undefined;
    for (const { instance } of pool) {
      const turn = this.#turns.get(instance);
      if (turn !== undefined && (latest === undefined || turn.choice > latest.choice)) latest = turn;
    }
    return latest?.before ?? 0;
  }

  /** Puts one that is chosen now, and stands here, so much further back. */
  putBack(instance: RouteInstance, before: number, step: number): void {
    this.#choices++;
    let turn = this.#turns.get(instance);
    if (turn === undefined) {
      turn = { due: 0, before: 0, choice: 0 };
      this.#turns.set(instance, turn);
    }
    turn.due = before + step;
    turn.before = before;
    turn.choice = this.#choices;
    this.#last = { ref: instance.ref, turn };
  }

  capture(instances: readonly RouteInstance[]): RoundState {
    const turns = instances.map((instance) => {
      const turn = this.#turns.get(instance);
      return turn === undefined ? null : { ...turn };
    });
    return { choices: this.#choices, turns };
  }

  restore({ choices, turns }: RoundState, instances: readonly RouteInstance[]): void {
    this.#choices = choices;
    this.#last = undefined;
    for (const [index, instance] of instances.entries()) {
      const turn = turns[index];
      if (turn == null) this.#turns.delete(instance);
      else this.#turns.set(instance, { ...turn });
    }
  }
}
