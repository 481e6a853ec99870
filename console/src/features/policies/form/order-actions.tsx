'use client';

import { ActionIcon } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconX } from '@tabler/icons-react';

/** Moves an entry of an ordered list up or down, or takes it out. */
export function OrderActions({
  name,
  place,
  last,
  onMove,
  onRemove,
}: {
  /** What the entry is called, such as `agent 2`. */
  name: string;
  place: number;
  last: number;
  onMove: (by: -1 | 1) => void;
  onRemove: () => void;
}) {
  return (
    <ActionIcon.Group style={{ marginTop: 4 }}>
      <ActionIcon variant="default" aria-label={`Move ${name} up`} disabled={place === 1} onClick={() => onMove(-1)}>
        <IconChevronUp size={15} />
      </ActionIcon>
      <ActionIcon
        variant="default"
        aria-label={`Move ${name} down`}
        disabled={place === last}
        onClick={() => onMove(1)}
      >
        <IconChevronDown size={15} />
      </ActionIcon>
      <ActionIcon variant="default" aria-label={`Remove ${name}`} onClick={onRemove}>
        <IconX size={15} />
      </ActionIcon>
    </ActionIcon.Group>
  );
}
