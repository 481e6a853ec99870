'use client';

import { Group, NativeSelect, NumberInput, Text } from '@mantine/core';
import { initialStep, STEP_KINDS, type StepDraft } from '../draft/fallback';
import { AgentField } from './agent-picker';
import { OrderActions } from './order-actions';
import { ResultField } from './result-field';

/** What every part of a step's row gets. */
interface StepProps {
  readonly place: number;
  readonly step: StepDraft;
  /** The fault of one of its fields, or with `''` its own. */
  readonly faultOf: (field: string) => string | undefined;
  readonly onChange: (step: StepDraft) => void;
}

/** One step of the fallback: its kind, its field, and its place in the order. */
export function FallbackStep({
  last,
  onMove,
  onRemove,
  ...props
}: StepProps & { last: number; onMove: (by: -1 | 1) => void; onRemove: () => void }) {
  const { place, step, faultOf, onChange } = props;
  const known = STEP_KINDS.some(({ value }) => value === step.kind);
  return (
    <li>
      <Group gap={6} align="flex-start">
        <NativeSelect
          aria-label={`Kind of step ${place}`}
          data={known ? [...STEP_KINDS] : [{ value: '', label: 'Choose a kind' }, ...STEP_KINDS]}
          value={known ? String(step.kind) : ''}
          onChange={({ currentTarget }) => {
            const kind = STEP_KINDS.find(({ value }) => value === currentTarget.value)?.value;
            if (kind !== undefined) onChange(initialStep(kind));
          }}
          error={faultOf('kind')}
          style={{ flex: '0 0 180px' }}
        />
        <StepField {...props} />
        <OrderActions name={`step ${place}`} place={place} last={last} onMove={onMove} onRemove={onRemove} />
      </Group>
      {faultOf('') !== undefined && (
        <Text size="xs" c="var(--reach-bad)" role="alert">
          {faultOf('')}
        </Text>
      )}
    </li>
  );
}

/** The one field that a kind of step has. */
function StepField({ place, step, faultOf, onChange }: StepProps) {
  switch (step.kind) {
    case 'AGENT':
      return (
        <AgentField
          label={`Agent of step ${place}`}
          value={typeof step.agent === 'string' ? step.agent : ''}
          onChange={(agent) => onChange({ ...step, agent })}
          error={faultOf('agent')}
        />
      );
    case 'STALE': {
      const { maxAgeMs } = step;
      return (
        <NumberInput
          aria-label={`Greatest age of step ${place}`}
          value={typeof maxAgeMs === 'number' || typeof maxAgeMs === 'string' ? maxAgeMs : ''}
          onChange={(next) => onChange({ ...step, maxAgeMs: next })}
          allowDecimal={false}
          thousandSeparator=" "
          prefix="at most "
          suffix=" ms old"
          hideControls
          error={faultOf('maxAgeMs')}
          style={{ flex: '1 1 160px', minWidth: 0 }}
        />
      );
    }
    case 'ANSWER':
      return (
        <ResultField
          label={`Answer of step ${place}`}
          result={step.result}
          onChange={(result) => onChange({ ...step, result })}
          error={faultOf('result')}
        />
      );
    default:
      return <div style={{ flex: '1 1 160px' }} />;
  }
}
