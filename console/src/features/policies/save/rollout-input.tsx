'use client';

import { Button, Group, NumberInput } from '@mantine/core';

const STEPS = [5, 25, 50, 100] as const;

/** For how many of the calls a version is, in percent. */
export function RolloutInput({
  value,
  onChange,
  rest,
  valid,
}: {
  value: number | string;
  onChange: (value: number | string) => void;
  /** What the other calls use. */
  rest: string;
  valid: boolean;
}) {
  return (
    <Group gap="xs" align="flex-end">
      <NumberInput
        label="Share of the calls"
        description={value === 100 ? 'Every call, within a second' : `The others: ${rest}`}
        value={value}
        onChange={onChange}
        min={1}
        max={100}
        allowDecimal={false}
        clampBehavior="none"
        suffix=" %"
        hideControls
        error={valid ? undefined : 'A whole number from 1 to 100'}
        style={{ flex: '1 1 160px', maxWidth: 320 }}
      />
      <Group gap={4}>
        {STEPS.map((step) => (
          <Button key={step} size="xs" variant="default" aria-pressed={value === step} onClick={() => onChange(step)}>
            {step} %
          </Button>
        ))}
      </Group>
    </Group>
  );
}
