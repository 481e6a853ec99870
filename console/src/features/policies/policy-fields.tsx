'use client';

import { Select, SimpleGrid, Stack, Switch, TagsInput, TextInput } from '@mantine/core';
import { Section } from '@/ui/section';
import { type DraftProps, NumberField } from './number-field';
import { type PolicyDraft, valueAt, withStrategy, withValue } from './policy-draft';
import { WeightFields } from './weight-fields';

/** The fields of a policy's content. Each shows its fault beside it. */
export function PolicyFields(props: DraftProps) {
  const { draft, faults, onChange } = props;
  const text = (path: string, label: string, description: string) => (
    <TextInput
      label={label}
      description={description}
      value={String(valueAt(draft, path) ?? '')}
      onChange={(event) => onChange(withValue(draft, path, event.currentTarget.value))}
      error={faults[path]}
      spellCheck={false}
    />
  );
  const tags = (path: string, label: string, description: string, placeholder: string) => (
    <TagsInput
      label={label}
      description={description}
      placeholder={placeholder}
      value={listAt(draft, path)}
      onChange={(value) => onChange(withValue(draft, path, value))}
      error={faultUnder(faults, path)}
    />
  );
  const weighted = valueAt(draft, 'strategy.name') === 'WEIGHTED_SCORE';
  return (
    <>
      <Section
        title="Match"
        note="Which calls the policy is for. The most specific match wins; between equals, the higher priority."
      >
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
          {text('match.capability', 'Capability', 'A name, *, or a prefix such as reserve_*')}
          {text('match.caller', 'Callers', '*, or a pattern such as agent:orders/*')}
          {tags('match.tags', 'Tags', 'All must be among the tags of the capability', 'Any')}
          <NumberField {...props} path="priority" label="Priority" description="−1000 to 1000" />
        </SimpleGrid>
      </Section>
      <Section title="Choice" note="Which of the instances that can take the call gets it.">
        <Stack gap="sm">
          <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
            <Select
              label="Strategy"
              description={
                weighted
                  ? 'The best score of load, latency and affinity'
                  : 'The instance with the fewest calls in flight'
              }
              data={[
                { value: 'WEIGHTED_SCORE', label: 'Weighted score' },
                { value: 'LEAST_IN_FLIGHT', label: 'Least in flight' },
              ]}
              allowDeselect={false}
              value={String(valueAt(draft, 'strategy.name'))}
              onChange={(name) => name !== null && onChange(withStrategy(draft, name))}
              error={faults['strategy.name']}
            />
            {tags('candidates', 'Candidates', 'Only these agents, as namespace/id', 'Every agent')}
          </SimpleGrid>
          {weighted && <WeightFields {...props} />}
          <Switch
            label="A call may leave its zone when nobody is left there"
            checked={valueAt(draft, 'allowZoneCrossing') === true}
            onChange={(event) => onChange(withValue(draft, 'allowZoneCrossing', event.currentTarget.checked))}
          />
        </Stack>
      </Section>
      <Section title="Time and retries" note="The caller's own deadline stands above all of this.">
        <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="sm">
          <NumberField
            {...props}
            path="timeoutMs"
            label="Timeout of an attempt"
            description="Empty: from recent calls"
            suffix=" ms"
            nullable
          />
          <NumberField {...props} path="retry.maxRetries" label="Retries" description="Attempts after the first" />
          <NumberField
            {...props}
            path="retry.baseMs"
            label="First wait"
            description="At most, before the first retry"
            suffix=" ms"
          />
          <NumberField
            {...props}
            path="retry.factor"
            label="Factor"
            description="Each wait is this much longer"
            decimal
          />
          <NumberField
            {...props}
            path="retry.capMs"
            label="Longest wait"
            description="No wait is longer"
            suffix=" ms"
          />
        </SimpleGrid>
      </Section>
      <Section title="Breaker" note="When an instance that fails is left alone.">
        <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="sm">
          <NumberField {...props} path="breaker.consecutiveFailures" label="Failures in a row" description="Open it" />
          <NumberField
            {...props}
            path="breaker.consecutiveWindowMs"
            label="Within"
            description="Time for those failures"
            suffix=" ms"
          />
          <NumberField {...props} path="breaker.errorRate" label="Error rate" description="0 to 1, opens it" decimal />
          <NumberField
            {...props}
            path="breaker.rateWindowMs"
            label="Window of the rate"
            description="Time it is measured over"
            suffix=" ms"
          />
          <NumberField
            {...props}
            path="breaker.minimumCalls"
            label="Minimum calls"
            description="Before the rate counts"
          />
          <NumberField
            {...props}
            path="breaker.openMs"
            label="Open for"
            description="Then one probe call"
            suffix=" ms"
          />
          <NumberField {...props} path="breaker.closeAfter" label="Close after" description="Successful probe calls" />
        </SimpleGrid>
      </Section>
    </>
  );
}

function listAt(draft: PolicyDraft, path: string): string[] {
  const value = valueAt(draft, path);
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

/** The fault of a list: its own, or the first of an entry. */
function faultUnder(faults: Readonly<Record<string, string>>, path: string): string | undefined {
  return faults[path] ?? Object.entries(faults).find(([at]) => at.startsWith(`${path}.`))?.[1];
}
