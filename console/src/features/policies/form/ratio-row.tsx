'use client';

import { Group, NumberInput } from '@mantine/core';
import type { RatioRow as Row } from '../draft/ratios';
import { AgentField } from './agent-picker';
import { OrderActions } from './order-actions';

/** One agent of PRIORITY_RATIO: who, which share, and its place in the order. */
export function RatioRow({
  place,
  last,
  row,
  agentFault,
  ratioFault,
  onChange,
  onMove,
  onRemove,
}: {
  place: number;
  last: number;
  row: Row;
  agentFault: string | undefined;
  ratioFault: string | undefined;
  onChange: (row: Row) => void;
  onMove: (step: -1 | 1) => void;
  onRemove: () => void;
}) {
  return (
    <Group component="li" gap={6} wrap="nowrap" align="flex-start">
      <AgentField
        label={`Agent ${place}`}
        value={row.agent}
        onChange={(agent) => onChange({ ...row, agent })}
        error={agentFault}
      />
      <NumberInput
        aria-label={`Share of agent ${place}`}
        value={row.ratio}
        onChange={(ratio) => onChange({ ...row, ratio })}
        suffix=" %"
        hideControls
        error={ratioFault}
        style={{ flex: '0 0 76px' }}
      />
      <OrderActions name={`agent ${place}`} place={place} last={last} onMove={onMove} onRemove={onRemove} />
    </Group>
  );
}
