'use client';

import { ActionIcon, Group, NumberInput } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconX } from '@tabler/icons-react';
import type { RatioRow as Row } from '../draft/ratios';
import { AgentField } from './agent-picker';

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
      <ActionIcon.Group style={{ marginTop: 4 }}>
        <ActionIcon
          variant="default"
          aria-label={`Move agent ${place} up`}
          disabled={place === 1}
          onClick={() => onMove(-1)}
        >
          <IconChevronUp size={15} />
        </ActionIcon>
        <ActionIcon
          variant="default"
          aria-label={`Move agent ${place} down`}
          disabled={place === last}
          onClick={() => onMove(1)}
        >
          <IconChevronDown size={15} />
        </ActionIcon>
        <ActionIcon variant="default" aria-label={`Remove agent ${place}`} onClick={onRemove}>
          <IconX size={15} />
        </ActionIcon>
      </ActionIcon.Group>
    </Group>
  );
}
