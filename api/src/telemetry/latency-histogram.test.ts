import { type Metric, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { LatencyHistogram } from './latency-histogram.js';

it('is printed as Prometheus reads a histogram: cumulative buckets, sum and count', async () => {
  const histogram = new LatencyHistogram('ack_ms', 'Dispatch to ack, ms.', [1, 10]);
  for (const ms of [0.5, 1, 3, 500]) histogram.observe(ms);
  const registry = new Registry();
  registry.registerMetric(histogram as unknown as Metric);
  expect(await registry.metrics()).toBe(
    [
      '# HELP ack_ms Dispatch to ack, ms.',
      '# TYPE ack_ms histogram',
      'ack_ms_bucket{le="1"} 2',
      'ack_ms_bucket{le="10"} 3',
      'ack_ms_bucket{le="+Inf"} 4',
      'ack_ms_sum 504.5',
      'ack_ms_count 4',
      '',
    ].join('\n'),
  );
});
