import { availableParallelism } from 'node:os';
import type { StrategyName } from '@agent-reach/sdk/decide';
import { joinsPerSecond } from './decide-joins.js';
import { decisionsPerSecond, picksPerSecond } from './decide-rounds.js';
import { describeDecisions, figuresOfDecisions, type Measured } from './decide-summary.js';
import { instanceOf, requestsFor, STRATEGIES, tableOf, usePolicy } from './decide-table.js';
import { mergeFigures } from './report.js';
import { median } from './statistics.js';

/**
 * `npm run bench:decide`: decisions per second, each strategy with each number of candidates, in turns with picking
 * from an array round-robin.
 */
const CANDIDATES = [1, 10, 100, 1_000, 10_000] as const;
const ROUNDS = 5;
const ROUND_MS = 60;
const WARM_UP_MS = 120;

function main(): void {
  const startedAt = performance.now();
  console.log(`Decisions per second: ${availableParallelism()} cores, Node ${process.version}.`);
  const measured: Measured[] = [];
  for (const candidates of CANDIDATES) {
    const table = tableOf(candidates);
    const array = Array.from({ length: candidates }, (_, index) => instanceOf(index));
    for (const strategy of STRATEGIES) {
      usePolicy(table, strategy);
      const requests = requestsFor(strategy.name);
      decisionsPerSecond(table, requests, WARM_UP_MS);
      picksPerSecond(array, 5);
      const decisions: number[] = [];
      const picks: number[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        decisions.push(decisionsPerSecond(table, requests, ROUND_MS));
        picks.push(picksPerSecond(array, 5));
      }
      const name: StrategyName = strategy.name;
      measured.push({ strategy: name, candidates, perSecond: median(decisions), floorPerSecond: median(picks) });
    }
  }
  const joins = joinsPerSecond(10_000);
  const figures = figuresOfDecisions(measured, joins);
  console.log(describeDecisions(measured, joins, figures));
  mergeFigures(process.env.REACH_BENCH_JSON, figures);
  console.log(`Took ${((performance.now() - startedAt) / 1000).toFixed(0)} s.`);
}

main();
