import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { joinsPerSecond } from './decide-joins.js';
import { describeDecisions, figuresOfDecisions, type Measured } from './decide-summary.js';
import { STRATEGIES } from './decide-table.js';
import { mergeFigures } from './report.js';

/**
 * `npm run bench:decide`: decisions per second, each strategy with each number of candidates. Each strategy has a thread
 * of its own, one after the other, so that none runs by code that was compiled for another one's sake.
 */
async function main(): Promise<void> {
  const startedAt = performance.now();
  console.log(`Decisions by one thread, ${availableParallelism()} cores, Node ${process.version}.`);
  const measured: Measured[] = [];
  for (const { name } of STRATEGIES) measured.push(...(await measure(name)));
  const joins = joinsPerSecond(10_000);
  const figures = figuresOfDecisions(measured, joins);
  console.log(describeDecisions(measured, figures));
  mergeFigures(process.env.REACH_BENCH_JSON, figures);
  console.log(`Took ${((performance.now() - startedAt) / 1000).toFixed(0)} s.`);
}

function measure(strategy: string): Promise<readonly Measured[]> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./decide-worker.js', import.meta.url), { workerData: strategy });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
