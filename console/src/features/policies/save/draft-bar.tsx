'use client';

import { Button, Group, Text } from '@mantine/core';
import { GuardedButton, type Right } from '@/ui/guarded-button';
import { Mark } from '@/ui/mark';
import classes from './draft-bar.module.css';

/** How the draft stands, always in sight: what is wrong or changed, and the way to save it. */
export function DraftBar({
  state,
  needs,
  reviewLabel,
  onReview,
  onDiscard,
}: {
  state: DraftState;
  /** What the review needs: the right to save, and something valid to save. */
  needs: Right;
  reviewLabel: string;
  onReview: () => void;
  /** undefined: there is nothing to go back to. */
  onDiscard: (() => void) | undefined;
}) {
  return (
    <Group className={classes.bar} gap="sm" role="region" aria-label="Draft">
      <div className={classes.state} role="status" aria-label="State of the draft">
        <StateMark state={state} />
        {state.failingTests > 0 && (
          <Text size="xs" c="var(--reach-bad)">
            {state.failingTests} of its tests fail
          </Text>
        )}
      </div>
      <Group gap="xs" wrap="nowrap">
        {onDiscard !== undefined && (
          <Button variant="default" onClick={onDiscard}>
            Discard
          </Button>
        )}
        <GuardedButton needs={needs} onClick={onReview}>
          {reviewLabel}
        </GuardedButton>
      </Group>
    </Group>
  );
}

export interface DraftState {
  readonly changes: number;
  readonly faults: number;
  readonly unreadable: boolean;
  readonly failingTests: number;
}

function StateMark({ state }: { state: DraftState }) {
  if (state.unreadable) {
    return (
      <Mark tone="bad" shape="cross">
        The JSON cannot be read
      </Mark>
    );
  }
  if (state.faults > 0) {
    return (
      <Mark tone="bad" shape="cross">
        {state.faults === 1 ? '1 field to correct' : `${state.faults} fields to correct`}
      </Mark>
    );
  }
  if (state.changes === 0) {
    return (
      <Mark tone="idle" shape="bar">
        Nothing changed
      </Mark>
    );
  }
  return (
    <Mark tone="busy" shape="triangle">
      {state.changes === 1 ? '1 change, not saved' : `${state.changes} changes, not saved`}
    </Mark>
  );
}
