import type { DraftMove } from './try.operations';

/** Calls that move the same way. */
export interface Move {
  /** An agent or an instance, or the outcome where nobody is. */
  readonly from: End;
  readonly to: End;
  readonly calls: number;
}

export type End = { readonly who: string } | { readonly outcome: string };

/** Moves by agent, or instance by instance; the most calls first. */
export function movesBy(level: 'AGENT' | 'INSTANCE', moves: readonly DraftMove[]): readonly Move[] {
  const sums = new Map<string, Move>();
  for (const move of moves) {
    const from = endOf(level === 'AGENT' ? move.from : move.fromInstance, move.fromOutcome);
    const to = endOf(level === 'AGENT' ? move.to : move.toInstance, move.toOutcome);
    const key = JSON.stringify([from, to]);
    sums.set(key, { from, to, calls: (sums.get(key)?.calls ?? 0) + move.calls });
  }
  return [...sums.values()].sort((a, b) => b.calls - a.calls);
}

function endOf(who: string | null, outcome: string): End {
  return who === null ? { outcome } : { who };
}
