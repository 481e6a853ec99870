import type { StrategySettings } from '../policy.js';
import type { RouteRequest } from '../request.js';
import type { Candidate } from '../route-table.js';

/** What a candidate's score is made of, by name; only explanations ask for it. */
export type ScoreParts = Readonly<Record<string, number>>;

/** Orders the candidates that came through all stages: higher is better, equal scores are drawn by lot. */
export interface Strategy {
  score(candidate: Candidate, request: RouteRequest): number;
  parts(candidate: Candidate, request: RouteRequest): ScoreParts;
}

export type StrategyFactory<N extends StrategySettings['name']> = (
  settings: Extract<StrategySettings, { name: N }>,
) => Strategy;
