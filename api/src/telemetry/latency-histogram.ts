/** One line of a metric, as a prom-client registry prints it. */
interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/**
 * Counts times in buckets, as Prometheus understands a histogram. prom-client's own costs more per observation than
 * everything else that telemetry does for a call, since it looks for labels each time; this one adds to an array.
 */
export class LatencyHistogram {
  readonly #counts: number[];
  #sum = 0;

  /** `buckets`: upper bounds in ms, ascending. */
  constructor(
    readonly name: string,
    readonly help: string,
    private readonly buckets: readonly number[],
  ) {
    this.#counts = new Array(buckets.length + 1).fill(0);
  }

  observe(ms: number): void {
    const { buckets } = this;
    let bucket = 0;
    while (bucket < buckets.length && ms > (buckets[bucket] ?? 0)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += ms;
  }

  /** In the form that a prom-client registry asks its metrics for: buckets are cumulative. */
  get() {
    const values: Sample[] = [];
    let total = 0;
    for (const [index, count] of this.#counts.entries()) {
      total += count;
      values.push({ metricName: `${this.name}_bucket`, labels: { le: this.buckets[index] ?? '+Inf' }, value: total });
    }
    values.push({ metricName: `${this.name}_sum`, labels: {}, value: this.#sum });
    values.push({ metricName: `${this.name}_count`, labels: {}, value: total });
    return { name: this.name, help: this.help, type: 'histogram', values, aggregator: 'sum' };
  }
}
