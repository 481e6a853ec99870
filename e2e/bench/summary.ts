import type { Side } from './messages.js';
import { significant, table } from './report.js';
import {
  type Comparison,
  type DurableComparison,
  durableRatio,
  type Round,
  type Summary,
  summarise,
  throughputRatio,
} from './rounds.js';
import type { Memory } from './stage.js';

/** All that a run measured. */
export interface Results {
  /** By calls in flight. */
  readonly floods: ReadonlyMap<number, Comparison>;
  readonly paced: Comparison;
  readonly durable: DurableComparison;
  /** Calls in flight while `durable` was measured. */
  readonly durableInFlight: number;
  readonly perSecond: number;
  /** 50 in flight with the SDK at both ends, product only. */
  readonly sdk: readonly Round[];
  readonly idle: Memory;
  readonly loaded: Memory;
}

/** The figures under the names that runs are compared by. */
export function figuresOf({
  floods,
  paced,
  durable,
  durableInFlight,
  sdk,
  idle,
  loaded,
}: Results): Record<string, number> {
  const figures: Record<string, number> = {};
  for (const [inFlight, comparison] of floods) {
    const product = summarise(comparison.product);
    figures[`throughput_ratio_${inFlight}`] = throughputRatio(comparison);
    figures[`calls_per_s_${inFlight}`] = product.perSecond;
    figures[`p50_ms_${inFlight}`] = product.p50Ms;
    figures[`p99_ms_${inFlight}`] = product.p99Ms;
    figures[`cpu_us_per_call_${inFlight}`] = product.cpuUs;
    figures[`cpu_ratio_${inFlight}`] = product.cpuUs / summarise(comparison.floor).cpuUs;
  }
  const product = summarise(paced.product);
  const floor = summarise(paced.floor);
  return {
    ...figures,
    cpu_ratio: figures.cpu_ratio_50 ?? Number.NaN,
    added_p50_ms: product.p50Ms - floor.p50Ms,
    added_p99_ms: product.p99Ms - floor.p99Ms,
    [`durable_ratio_${durableInFlight}`]: durableRatio(durable),
    [`durable_calls_per_s_${durableInFlight}`]: summarise(durable.durable).perSecond,
    sdk_calls_per_s_50: summarise(sdk).perSecond,
    memory_idle_mb: idle.product,
    memory_loaded_mb: loaded.product,
  };
}

/** The table for people, and what it comes to. */
export function describe(results: Results, figures: Readonly<Record<string, number>>): string {
  const { floods, paced, durable, durableInFlight, perSecond, sdk, idle, loaded } = results;
  const rows = [...floods].flatMap(([inFlight, comparison]) =>
    rowsOf(`${inFlight} in flight`, comparison, throughputRatio(comparison)),
  );
  rows.push(...rowsOf(`${perSecond} calls/s`, paced, undefined));
  const ratio = durableRatio(durable);
  rows.push(rowOf(`${durableInFlight} in flight, not idempotent`, 'product', summarise(durable.durable), undefined));
  rows.push(rowOf(`${durableInFlight} in flight, idempotent`, 'product', summarise(durable.plain), undefined));
  rows.push(rowOf('50 in flight, SDK', 'product', summarise(sdk), undefined));
  const { added_p50_ms: p50 = Number.NaN, added_p99_ms: p99 = Number.NaN, cpu_ratio: cpu = Number.NaN } = figures;
  return [
    table(['load', 'middle', 'calls/s', 'p50 ms', 'p99 ms', 'CPU µs/call', 'throughput ratio'], rows),
    '',
    `At ${perSecond} calls/s the product adds ${significant(p50)} ms (p50) and ${significant(p99)} ms (p99).`,
    `Calls that are not idempotent, each with a durable claim and result: ${significant(ratio)} times the throughput ` +
      `of idempotent ones at ${durableInFlight} in flight.`,
    `CPU per call of the middle process at 50 in flight: ${significant(cpu)} times the floor's.`,
    `Memory of the product: ${idle.product.toFixed(0)} MB with all agents joined, ${loaded.product.toFixed(0)} MB at ` +
      `the end; of the floor ${idle.floor.toFixed(0)} and ${loaded.floor.toFixed(0)} MB.`,
  ].join('\n');
}

function rowsOf(load: string, comparison: Comparison, ratio: number | undefined): string[][] {
  return [
    rowOf(load, 'product', summarise(comparison.product), ratio),
    rowOf('', 'floor', summarise(comparison.floor), undefined),
  ];
}

function rowOf(load: string, side: Side, summary: Summary, ratio: number | undefined): string[] {
  const { perSecond, p50Ms, p99Ms, cpuUs } = summary;
  const cells = [perSecond.toFixed(0), significant(p50Ms), significant(p99Ms), significant(cpuUs)];
  return [load, side, ...cells, ratio === undefined ? '' : significant(ratio)];
}
