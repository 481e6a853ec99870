import { availableParallelism } from 'node:os';
import { describeFanout, figuresOfFanout, measureFanout } from './fanout/measure.js';
import { startProduct } from './product.js';
import { describeRegistry, figuresOfRegistry, measureRegistry } from './registry-load.js';
import { mergeFigures } from './report.js';

/** `npm run bench:registry`: what it costs to know who is there, and how fast others know it. */
async function main(): Promise<void> {
  const startedAt = performance.now();
  console.log(`The registry, ${availableParallelism()} cores, Node ${process.version}.`);
  const product = await startProduct();
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => void product.server.stop().finally(() => process.exit(130)));
  try {
    const fanout = await measureFanout(product);
    console.log(describeFanout(fanout));
    const load = await measureRegistry(product);
    console.log(`\n${describeRegistry(load)}`);
    mergeFigures(process.env.REACH_BENCH_JSON, { ...figuresOfFanout(fanout), ...figuresOfRegistry(load) });
    console.log(`Took ${((performance.now() - startedAt) / 1000).toFixed(0)} s.`);
  } finally {
    await product.server.stop();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
