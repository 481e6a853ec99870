'use client';

import { Button, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Section } from '@/ui/section';
import { fallbackSteps, initialStep, MAX_STEPS, type StepDraft } from '../draft/fallback';
import { withValue } from '../draft/policy-draft';
import { moved } from '../draft/ratios';
import type { DraftProps } from './draft-props';
import { FallbackStep } from './fallback-step';

/** The steps that give an answer when the call itself failed, in their order. */
export function FallbackSection({ draft, faults, onChange }: DraftProps) {
  const steps = fallbackSteps(draft);
  const set = (next: readonly StepDraft[]) => onChange(withValue(draft, 'fallback', next));
  // Steps have no identity of their own: without this a removed step's typing would stay in the next one.
  const [removals, setRemovals] = useState(0);
  return (
    <Section
      title="Fallback"
      note="What gives the answer when the call itself failed: the first step that has one, within the caller's deadline."
    >
      <Stack gap={6} component="ol" style={{ listStyle: 'none', padding: 0, margin: 0 }} aria-label="Steps in order">
        {steps.map((step, index) => (
          <FallbackStep
            // The place in the order is what a step is.
            key={`${removals}-${index}`}
            place={index + 1}
            last={steps.length}
            step={step}
            faultOf={(field) => faults[field === '' ? `fallback.${index}` : `fallback.${index}.${field}`]}
            onChange={(next) => set(steps.map((old, at) => (at === index ? next : old)))}
            onMove={(by) => set(moved(steps, index, by))}
            onRemove={() => {
              setRemovals((n) => n + 1);
              set(steps.filter((_, at) => at !== index));
            }}
          />
        ))}
      </Stack>
      {faults.fallback !== undefined && (
        <Text size="xs" c="var(--reach-bad)" role="alert" mt={4}>
          {faults.fallback}
        </Text>
      )}
      <Button
        size="xs"
        variant="default"
        mt="sm"
        leftSection={<IconPlus size={14} />}
        disabled={steps.length >= MAX_STEPS}
        onClick={() => set([...steps, initialStep('AGENT')])}
      >
        Add a step
      </Button>
    </Section>
  );
}
