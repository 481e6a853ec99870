import { availableParallelism } from 'node:os';
import { PAYLOAD_BYTES } from './payload.js';
import { mergeFigures } from './report.js';
import { type Bench, type Comparison, compare, compareDurable, type Round, runRound } from './rounds.js';
import { memoryOf, Stage } from './stage.js';
import { describe, figuresOf, type Results } from './summary.js';
import type { Worker } from './worker.js';

/**
 * `npm run bench`: the product against the floor. Callers, agents and the two middle processes are processes of their
 * own; product and floor take turns in short rounds, and medians of the rounds are compared.
 */
const AGENTS = 200;
const IN_FLIGHT = [1, 50, 500] as const;
const ROUNDS = 6;
const ROUND_MS = 1500;
/** Until V8 has compiled what is hot, a program of some size costs half as much again as it does afterwards. */
const WARM_UP_MS = 3000;
const DURABLE_IN_FLIGHT = 500;
const SDK_ROUNDS = 3;
const PACE_PER_SECOND = 1000;
const PACE_ROUNDS = 4;
const PACE_MS = 2500;

async function main(): Promise<void> {
  const startedAt = performance.now();
  const stage = new Stage();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => void stage.stop().finally(() => process.exit(130)));
  console.log(
    `Product and floor in turns: ${AGENTS} agents of one instance and one connection each, ${PAYLOAD_BYTES}-byte ` +
      `payloads both ways, ${availableParallelism()} cores, Node ${process.version}.`,
  );
  try {
    const bench = await stage.setUp(AGENTS);
    const results = await measure(bench, () => stage.addSdk(AGENTS));
    const figures = figuresOf(results);
    console.log(describe(results, figures));
    mergeFigures(process.env.REACH_BENCH_JSON, figures);
    console.log(`Took ${((performance.now() - startedAt) / 1000).toFixed(0)} s.`);
  } finally {
    await stage.stop();
  }
}

async function measure(bench: Bench, addSdk: () => Promise<Worker>): Promise<Results> {
  const idle = memoryOf(bench);
  await warmUp(bench);
  const floods = new Map<number, Comparison>();
  for (const inFlight of IN_FLIGHT) floods.set(inFlight, await compare(bench, { inFlight }, ROUNDS, ROUND_MS));
  const paced = await compare(bench, { perSecond: PACE_PER_SECOND }, PACE_ROUNDS, PACE_MS);
  const loaded = memoryOf(bench);
  await runRound(bench, 'product', { inFlight: DURABLE_IN_FLIGHT, durable: true }, WARM_UP_MS);
  const durable = await compareDurable(bench, DURABLE_IN_FLIGHT, ROUNDS, ROUND_MS);
  // Last, so that the product has as many agents as the floor while the two are compared.
  const sdk = await measureSdk({ ...bench, callers: await addSdk() });
  return {
    floods,
    paced,
    durable,
    durableInFlight: DURABLE_IN_FLIGHT,
    perSecond: PACE_PER_SECOND,
    sdk,
    idle,
    loaded,
  };
}

/** Compiled code and grown tables: the start is not what is measured. */
async function warmUp(bench: Bench): Promise<void> {
  for (const inFlight of [500, 50, 500, 50, 1])
    for (const side of ['floor', 'product'] as const) await runRound(bench, side, { inFlight }, WARM_UP_MS);
}

async function measureSdk(bench: Bench): Promise<readonly Round[]> {
  const rounds: Round[] = [];
  await runRound(bench, 'product', { inFlight: 50 }, 1000);
  for (let round = 0; round < SDK_ROUNDS; round += 1)
    rounds.push(await runRound(bench, 'product', { inFlight: 50 }, ROUND_MS));
  return rounds;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
