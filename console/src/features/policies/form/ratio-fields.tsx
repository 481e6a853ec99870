'use client';

import { Button, Group, Input, Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Mark } from '@/ui/mark';
import { withValue } from '../draft/policy-draft';
import { evenly, moved, type RatioRow as Row, ratioRows, ratioSum } from '../draft/ratios';
import { AgentListField } from './agent-picker';
import type { DraftProps } from './draft-props';
import { RatioRow } from './ratio-row';

/** The agents of PRIORITY_RATIO in their order, each with its share, the sum of the shares, and the fallback. */
export function RatioFields(props: DraftProps) {
  const { draft, faults, onChange } = props;
  const rows = ratioRows(draft);
  const set = (next: readonly Row[]) => onChange(withValue(draft, 'strategy.agents', next));
  // Rows have no identity of their own: without this a removed row's typing would stay in the next one.
  const [removals, setRemovals] = useState(0);
  return (
    <Stack gap="sm">
      <Input.Wrapper
        label="Agents in order"
        description="Each call draws one by its share. An agent that has nobody hands its share to the first in the list that has somebody; at 0 % an agent only stands in."
        error={faults['strategy.agents']}
      >
        <Stack gap={6} mt={6} component="ol" style={{ listStyle: 'none', padding: 0 }} aria-label="Agents in order">
          {rows.map((row, index) => (
            <RatioRow
              // The place in the order is what a row is.
              key={`${removals}-${index}`}
              place={index + 1}
              last={rows.length}
              row={row}
              agentFault={faults[`strategy.agents.${index}.agent`] ?? faults[`strategy.agents.${index}`]}
              ratioFault={faults[`strategy.agents.${index}.ratio`]}
              onChange={(next) => set(rows.map((old, at) => (at === index ? next : old)))}
              onMove={(step) => set(moved(rows, index, step))}
              onRemove={() => {
                setRemovals((n) => n + 1);
                set(rows.filter((_, at) => at !== index));
              }}
            />
          ))}
        </Stack>
      </Input.Wrapper>
      <Group gap="sm">
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} />}
          onClick={() => set([...rows, { agent: '', ratio: rows.length === 0 ? 100 : 0 }])}
        >
          Add an agent
        </Button>
        {rows.length > 1 && (
          <Button size="xs" variant="default" onClick={() => set(evenly(rows))}>
            Share out evenly
          </Button>
        )}
        {rows.length > 0 && <Sum sum={ratioSum(rows)} />}
      </Group>
      <AgentListField
        {...props}
        path="strategy.fallback"
        label="Fallback"
        description="When none of the agents above has anybody: these, in their order"
        placeholder="None"
      />
    </Stack>
  );
}

function Sum({ sum }: { sum: number }) {
  const off = Math.round((100 - sum) * 1e6) / 1e6;
  return (
    <div role="status" aria-label="Sum of the shares">
      {off === 0 ? (
        <Mark tone="good" shape="check">
          Sum 100 %
        </Mark>
      ) : (
        <Mark tone="bad" shape="cross">
          Sum {sum} %: {off > 0 ? `${off} % are missing` : `${-off} % too much`}
        </Mark>
      )}
    </div>
  );
}
