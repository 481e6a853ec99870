'use client';

import { Text } from '@mantine/core';
import { shownAt } from '../draft/policy-draft';
import type { DraftProps } from './draft-props';
import { NumberField } from './number-field';
import { QualityFields } from './quality-fields';
import { RatioFields } from './ratio-fields';
import { WeightFields } from './weight-fields';

/** The settings of the strategy that is chosen; some have none. */
export function StrategyFields(props: DraftProps) {
  switch (shownAt(props.draft, 'strategy.name')) {
    case 'WEIGHTED_SCORE':
      return <WeightFields {...props} />;
    case 'QUALITY':
      return <QualityFields {...props} />;
    case 'PRIORITY_RATIO':
      return <RatioFields {...props} />;
    case 'CONSISTENT_HASH':
      return (
        <div>
          <NumberField
            {...props}
            path="strategy.spillPercent"
            label="Spill"
            description="At most so many of the calls go to the neighbour of a full instance"
            suffix=" %"
            decimal
            usual={20}
          />
          <Text size="xs" c="dimmed" mt={4}>
            A call without an affinity key goes to the instance with the fewest calls in flight.
          </Text>
        </div>
      );
    default:
      return null;
  }
}
