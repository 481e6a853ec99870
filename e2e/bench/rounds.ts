import { usageOf } from '../support/usage.js';
import type { CallerOrder, Measured, Side } from './messages.js';
import { median, sum } from './statistics.js';
import type { Worker } from './worker.js';

/** One round with what the middle process used in it. */
export interface Round extends Measured {
  readonly cpuMs: number;
}

/** Rounds of both sides under the same load, taken in turns. */
export interface Comparison {
  readonly product: readonly Round[];
  readonly floor: readonly Round[];
}

/** Callers and the process ids of the two middles. */
export interface Bench {
  readonly callers: Worker;
  readonly middles: Readonly<Record<Side, number>>;
}

/** `durable`: calls of what is not idempotent; default false. */
type Load = { readonly inFlight: number; readonly durable?: boolean } | { readonly perSecond: number };

/** One side under one load. Throws when a call failed: figures of a run with failures would mean nothing. */
export async function runRound(bench: Bench, side: Side, load: Load, durationMs: number): Promise<Round> {
  const order: CallerOrder =
    'inFlight' in load
      ? { order: 'flood', side, durationMs, inFlight: load.inFlight, durable: load.durable ?? false }
      : { order: 'pace', side, durationMs, perSecond: load.perSecond };
  const before = usageOf(bench.middles[side]).cpuMs;
  const measured = await bench.callers.order(order);
  const cpuMs = usageOf(bench.middles[side]).cpuMs - before;
  if (measured === undefined) throw new Error('the callers measured nothing');
  if (measured.failures > 0)
    throw new Error(`${measured.failures} of ${measured.calls} calls failed (${side}): ${measured.failure}`);
  return { ...measured, cpuMs };
}

/**
 * The two sides in turns, short rounds, the first of each pair changing: what the machine does beside falls on both
 * alike.
 */
export async function compare(bench: Bench, load: Load, rounds: number, durationMs: number): Promise<Comparison> {
  const product: Round[] = [];
  const floor: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const order: readonly Side[] = round % 2 === 0 ? ['product', 'floor'] : ['floor', 'product'];
    for (const side of order)
      (side === 'product' ? product : floor).push(await runRound(bench, side, load, durationMs));
  }
  return { product, floor };
}

/** Rounds of the product alone, of calls that are not idempotent and of those that are. */
export interface DurableComparison {
  readonly durable: readonly Round[];
  readonly plain: readonly Round[];
}

/** The two kinds of calls in turns, as `compare` does it with the two sides. */
export async function compareDurable(
  bench: Bench,
  inFlight: number,
  rounds: number,
  durationMs: number,
): Promise<DurableComparison> {
  const durable: Round[] = [];
  const plain: Round[] = [];
  for (let round = 0; round < rounds; round += 1)
    for (const isDurable of round % 2 === 0 ? [true, false] : [false, true])
      (isDurable ? durable : plain).push(
        await runRound(bench, 'product', { inFlight, durable: isDurable }, durationMs),
      );
  return { durable, plain };
}

/** Calls a second of one round. */
const rateOf = (round: Round): number => (round.calls / round.elapsedMs) * 1000;

export interface Summary {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU time of the middle process per call, in µs. */
  readonly cpuUs: number;
}

/** Medians over the rounds; CPU over all of them together, because the system counts it in steps of 10 ms. */
export function summarise(rounds: readonly Round[]): Summary {
  return {
    perSecond: median(rounds.map(rateOf)),
    p50Ms: median(rounds.map((round) => round.p50Ms)),
    p99Ms: median(rounds.map((round) => round.p99Ms)),
    cpuUs: (sum(rounds.map((round) => round.cpuMs)) * 1000) / sum(rounds.map((round) => round.calls)),
  };
}

/** Median over the pairs of rounds of product / floor. */
export const throughputRatio = ({ product, floor }: Comparison): number => medianRatio(product, floor);

/** Median over the pairs of rounds of durable / idempotent. */
export const durableRatio = ({ durable, plain }: DurableComparison): number => medianRatio(durable, plain);

function medianRatio(rounds: readonly Round[], others: readonly Round[]): number {
  return median(
    rounds.flatMap((round, index) => {
      const other = others[index];
      return other === undefined ? [] : [rateOf(round) / rateOf(other)];
    }),
  );
}
