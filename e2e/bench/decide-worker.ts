import { parentPort, workerData } from 'node:worker_threads';
import { decisionsPerSecond, picksPerSecond } from './decide-rounds.js';
import type { Measured } from './decide-summary.js';
import { instanceOf, requestsFor, STRATEGIES, tableOf, usePolicy } from './decide-table.js';
import { percentile } from './statistics.js';

/** Measures one strategy and ends. */
const CANDIDATES = [1, 10, 100, 1_000, 10_000] as const;
const ROUNDS = 40;
const ROUND_MS = 8;
const FLOOR_MS = 2;
const WARM_UP_MS = 150;

const strategy = STRATEGIES.find(({ name }) => name === workerData);
if (strategy === undefined) throw new Error(`There is no strategy ${workerData}.`);
const requests = requestsFor(strategy.name);

const setups = CANDIDATES.map((candidates) => {
  const table = tableOf(candidates);
  usePolicy(table, strategy);
  const array = Array.from({ length: candidates }, (_, index) => instanceOf(index));
  return { candidates, table, array, decisions: [] as number[], picks: [] as number[] };
});

for (const { table, array } of setups) {
  decisionsPerSecond(table, requests, WARM_UP_MS);
  picksPerSecond(array, FLOOR_MS);
}
// In turns and briefly, so that what the machine does beside falls on all of them alike, and not on every round.
for (let round = 0; round < ROUNDS; round++) {
  for (const { table, array, decisions, picks } of setups) {
    decisions.push(decisionsPerSecond(table, requests, ROUND_MS));
    picks.push(picksPerSecond(array, FLOOR_MS));
  }
}

parentPort?.postMessage(
  setups.map(
    ({ candidates, decisions, picks }): Measured => ({
      strategy: strategy.name,
      candidates,
      perSecond: undisturbed(decisions),
      floorPerSecond: undisturbed(picks),
    }),
  ),
);

/** The speed that one round in ten exceeded: what it takes while the machine does little else. */
function undisturbed(perSecond: readonly number[]): number {
  return percentile(
    [...perSecond].sort((a, b) => a - b),
    0.9,
  );
}
