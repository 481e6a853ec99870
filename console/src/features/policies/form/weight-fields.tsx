'use client';

import { SimpleGrid, Text } from '@mantine/core';
import { shownAt } from '../draft/policy-draft';
import type { DraftProps } from './draft-props';
import { NumberField } from './number-field';

/** The weights of the score, each with the share that it makes. */
export function WeightFields(props: DraftProps) {
  const weights = ['load', 'latency', 'affinity'].map((name) => shownAt(props.draft, `strategy.weights.${name}`));
  const sum = weights.reduce<number>((total, weight) => total + (typeof weight === 'number' ? weight : 0), 0);
  const share = (index: number) => {
    const weight = weights[index];
    return typeof weight === 'number' && sum > 0
      ? `${Math.round((weight / sum) * 100)} % of the score`
      : 'Share of the score';
  };
  const fault = props.faults['strategy.weights'];
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
      {fault !== undefined && (
        <Text size="xs" c="var(--reach-bad)" role="alert" mt={4}>
          {fault}
        </Text>
      )}
    </div>
  );
}
