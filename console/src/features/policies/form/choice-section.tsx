'use client';

import { Select, Stack } from '@mantine/core';
import { Section } from '@/ui/section';
import { shownAt } from '../draft/policy-draft';
import { STRATEGIES, withStrategy } from '../draft/strategies';
import { AgentListField } from './agent-picker';
import type { DraftProps } from './draft-props';
import { StrategyFields } from './strategy-fields';
import { SwitchField } from './switch-field';

/** Which of the instances that can take the call gets it. */
export function ChoiceSection(props: DraftProps) {
  const { draft, faults, onChange } = props;
  const strategy = STRATEGIES.find(({ value }) => value === shownAt(draft, 'strategy.name'));
  return (
    <Section title="Choice" note="Which of the instances that can take the call gets it.">
      <Stack gap="sm">
        <Select
          label="Strategy"
          description={strategy?.about ?? 'How one of them is chosen'}
          data={STRATEGIES.map(({ value, label }) => ({ value, label }))}
          allowDeselect={false}
          value={strategy?.value ?? null}
          onChange={(name) => name !== null && onChange(withStrategy(draft, name))}
          error={faults['strategy.name'] ?? faults.strategy}
        />
        <StrategyFields {...props} />
        <SwitchField
          {...props}
          path="sticky"
          label="A call with an affinity key stays with its instance"
          description="Whatever the strategy, while that instance can take it"
        />
        <AgentListField
          {...props}
          path="candidates"
          label="Candidates"
          description="Only these agents, as namespace/agent"
          placeholder="Every agent"
        />
      </Stack>
    </Section>
  );
}
