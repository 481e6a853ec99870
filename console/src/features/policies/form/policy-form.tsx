'use client';

import { BreakerSection } from './breaker-section';
import { ChoiceSection } from './choice-section';
import classes from './draft-editor.module.css';
import type { DraftProps } from './draft-props';
import { FallbackSection } from './fallback-section';
import { LoadSection } from './load-section';
import { MatchSection } from './match-section';
import { ReachSection } from './reach-section';
import { TimeSection } from './time-section';

/** The fields of a policy's content. Each shows its fault beside it. `locked`: they can be read but not changed. */
export function PolicyForm({ locked, ...props }: DraftProps & { locked: boolean }) {
  return (
    <fieldset className={classes.form} disabled={locked} aria-label="Form of the policy">
      <MatchSection {...props} />
      <ChoiceSection {...props} />
      <ReachSection {...props} />
      <TimeSection {...props} />
      <BreakerSection {...props} />
      <LoadSection {...props} />
      <FallbackSection {...props} />
    </fieldset>
  );
}
