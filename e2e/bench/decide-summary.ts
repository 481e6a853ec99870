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
export function describeDecisions(measured: readonly Measured[], figures: Readonly<Record<string, number>>): string {
  const rows = measured.map(({ strategy, candidates, perSecond, floorPerSecond }) => [
    candidates === 1 ? strategy : '',
    String(candidates),
    perSecond.toFixed(0),
    (1e9 / perSecond).toFixed(0),
    significant(perSecond / floorPerSecond),
  ]);
  const { decide_per_s_10: atTen = 0, decide_growth_1k_10k: growth = 0, decide_joins_per_s_10k: joins = 0 } = figures;
  return [
    table(['strategy', 'candidates', 'decisions/s', 'ns each', 'ratio to array round-robin'], rows),
    '',
    `The default strategy makes ${atTen.toFixed(0)} decisions/s among 10 candidates. Among 10,000 a decision takes`,
    `${significant(growth)} times as long as among 1,000, with the strategy for which that is most. A table of 10,000`,
    `takes ${joins.toFixed(0)} joins or leaves/s.`,
  ].join('\n');
}
