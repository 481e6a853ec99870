import type { StrategyName } from '@agent-reach/sdk/decide';
import { significant, table } from './report.js';

/** One strategy with one number of candidates. */
export interface Measured {
  readonly strategy: StrategyName;
  readonly candidates: number;
  readonly perSecond: number;
  /** Picking from an array round-robin, in the same rounds. */
  readonly floorPerSecond: number;
}

/** The figures under the names that runs are compared by. */
export function figuresOfDecisions(measured: readonly Measured[], joinsPerSecond: number): Record<string, number> {
  const figures: Record<string, number> = {};
  let growth = 0;
  for (const { strategy, candidates, perSecond, floorPerSecond } of measured) {
    const name = strategy.toLowerCase();
    figures[`decide_per_s_${candidates}_${name}`] = perSecond;
    figures[`decide_floor_ratio_${candidates}_${name}`] = perSecond / floorPerSecond;
    if (candidates === 10_000) growth = Math.max(growth, growthOf(measured, strategy));
  }
  return {
    ...figures,
    decide_per_s_10: figures.decide_per_s_10_weighted_score ?? Number.NaN,
    decide_growth_1k_10k: growth,
    decide_joins_per_s_10k: joinsPerSecond,
  };
}

/** How much longer one decision takes among 10,000 than among 1,000. */
function growthOf(measured: readonly Measured[], strategy: StrategyName): number {
  const at = (candidates: number) =>
    measured.find((each) => each.strategy === strategy && each.candidates === candidates)?.perSecond ?? Number.NaN;
  return at(1_000) / at(10_000);
}

/** The table for people, and what it comes to. */
export function describeDecisions(
  measured: readonly Measured[],
  joinsPerSecond: number,
  figures: Readonly<Record<string, number>>,
): string {
  const rows = measured.map(({ strategy, candidates, perSecond, floorPerSecond }) => [
    strategy,
    String(candidates),
    perSecond.toFixed(0),
    significant(1e9 / perSecond),
    significant(perSecond / floorPerSecond),
  ]);
  rows.sort((a, b) => order(measured, a[0]) - order(measured, b[0]));
  const { decide_per_s_10: atTen = Number.NaN, decide_growth_1k_10k: growth = Number.NaN } = figures;
  return [
    table(['strategy', 'candidates', 'decisions/s', 'ns each', 'ratio to array round-robin'], rows),
    '',
    `The default strategy makes ${atTen.toFixed(0)} decisions/s among 10 candidates. From 1,000 to 10,000 candidates a`,
    `decision takes ${significant(growth)} times as long at most. ${joinsPerSecond.toFixed(0)} instances/s join or leave`,
    'a table of 10,000.',
  ].join('\n');
}

/** Strategies together, in the order in which they were measured. */
function order(measured: readonly Measured[], strategy: string | undefined): number {
  return measured.findIndex((each) => each.strategy === strategy);
}
