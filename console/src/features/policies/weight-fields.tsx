'use client';

import { SimpleGrid, Text } from '@mantine/core';
import { type DraftProps, NumberField } from './number-field';
import { valueAt } from './policy-draft';

/** The weights of the score, each with the share that it makes. */
export function WeightFields(props: DraftProps) {
  const shares = ['load', 'latency', 'affinity'].map((name) => valueAt(props.draft, `strategy.weights.${name}`));
  const sum = shares.reduce<number>((total, share) => total + (typeof share === 'number' ? share : 0), 0);
  const share = (index: number) => {
    const value = shares[index];
    return typeof value === 'number' && sum > 0
      ? `${Math.round((value / sum) * 100)} % of the score`
      : 'Share of the score';
  };
  return (
    <div>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
        <NumberField {...props} path="strategy.weights.load" label="Weight of load" description={share(0)} decimal />
        <NumberField
          {...props}
          path="strategy.weights.latency"
          label="Weight of latency"
          description={share(1)}
          decimal
        />
        <NumberField
          {...props}
          path="strategy.weights.affinity"
          label="Weight of affinity"
          description={share(2)}
          decimal
        />
      </SimpleGrid>
      {props.faults['strategy.weights'] !== undefined && (
        <Text size="xs" c="var(--reach-bad)" role="alert" mt={4}>
          {props.faults['strategy.weights']}
        </Text>
      )}
    </div>
  );
}
