'use client';

import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import type { Health, Lifecycle } from '@/graphql/types';
import { DataTable } from '@/ui/data-table';
import { Mono } from '@/ui/mono';
import { NsLink } from '@/ui/ns-link';
import { Section } from '@/ui/section';
import { HealthMark, isHealth, LifecycleMark } from '@/ui/states';
import { Time } from '@/ui/time';
import type { InstanceTransition } from './agent.operations';

/** Shown before somebody asks for all. */
const SHOWN = 8;

/** What became of an agent's instances, newest first: each step with its reason. */
export function AgentHistory({ agent, history }: { agent: string; history: readonly InstanceTransition[] }) {
  const [all, setAll] = useState(false);
  if (history.length === 0) return null;
  const shown = all ? history : history.slice(0, SHOWN);
  return (
    <Section
      title="History"
      note="The latest steps of its instances since the server started, gone ones included."
      actions={
        <NsLink href={`/audit?kind=TRANSITION&target=${agent}`} size="sm">
          All of them in Audit
        </NsLink>
      }
    >
      <DataTable
        label="History"
        minWidth={680}
        head={
          <>
            <th scope="col" data-tight>
              Time
            </th>
            <th scope="col" data-tight>
              Instance
            </th>
            <th scope="col" data-tight>
              Step
            </th>
            <th scope="col">Reason</th>
            <th scope="col" data-tight>
              By
            </th>
          </>
        }
      >
        {shown.map((step, index) => (
          // Two steps may have all in common; counted from the oldest, a step keeps its number while newer ones come.
          <tr key={`${step.at} ${history.length - index}`}>
            <td data-tight>
              <Time iso={step.at} />
            </td>
            <td data-tight>
              <Mono>{step.instance.slice(agent.length + 1)}</Mono>
            </td>
            <td>
              <Group gap={6} wrap="nowrap">
                {step.from !== null && step.from !== step.to && (
                  <>
                    <StateMark state={step.from} />
                    <Text span size="xs" c="dimmed" aria-label="to">
                      →
                    </Text>
                  </>
                )}
                <StateMark state={step.to} />
              </Group>
            </td>
            <td>{step.reason}</td>
            <td data-tight>
              <Text size="xs" c="dimmed">
                {step.actor === step.instance ? 'itself' : step.actor}
              </Text>
            </td>
          </tr>
        ))}
      </DataTable>
      {history.length > SHOWN && (
        <Button variant="subtle" size="compact-xs" mt="xs" onClick={() => setAll(!all)}>
          {all ? `Show the latest ${SHOWN}` : `Show all ${history.length}`}
        </Button>
      )}
    </Section>
  );
}

function StateMark({ state }: { state: Lifecycle | Health }) {
  return isHealth(state) ? <HealthMark health={state} /> : <LifecycleMark lifecycle={state} />;
}
