import { Text } from '@mantine/core';
import type { InstanceHealth } from '@/features/live/health-change';
import { DataTable } from '@/ui/data-table';
import { Mark } from '@/ui/mark';
import { NsLink } from '@/ui/ns-link';
import { HealthMark } from '@/ui/states';
import { Utilisation } from '@/ui/utilisation';
import type { AgentRow } from './agents.operations';
import { agentState } from './live-agent';

/** The agents of a page, each with its state as the stream tells it. */
export function AgentTable({
  agents,
  live,
  stale,
}: {
  agents: readonly AgentRow[];
  live: ReadonlyMap<string, ReadonlyMap<string, InstanceHealth>>;
  stale: boolean;
}) {
  return (
    <DataTable
      label="Agents"
      stale={stale}
      head={
        <>
          <th scope="col">Agent</th>
          <th scope="col" data-roomy>
            State
          </th>
          <th scope="col" data-wide>
            Type
          </th>
          <th scope="col" data-number>
            Ready
          </th>
          <th scope="col" data-number>
            In flight
          </th>
          <th scope="col" data-wide data-tight>
            Utilisation
          </th>
          <th scope="col" data-wider>
            Owner
          </th>
        </>
      }
    >
      {agents.map((agent) => (
        <Row key={agent.ref} agent={agent} live={live.get(agent.ref)} />
      ))}
    </DataTable>
  );
}

function Row({ agent, live }: { agent: AgentRow; live: ReadonlyMap<string, InstanceHealth> | undefined }) {
  const state = agentState(agent, live);
  return (
    <tr>
      <th scope="row">
        <NsLink href={`/agents/${agent.namespace}/${agent.id}`} fw={500} size="sm">
          {agent.ref}
        </NsLink>
        {agent.description !== '' && (
          <Text size="xs" c="dimmed" lineClamp={1} data-wide>
            {agent.description}
          </Text>
        )}
      </th>
      <td>
        <HealthMark health={state.health} />
        {agent.paused && (
          <span style={{ marginInlineStart: 10 }}>
            <Mark tone="warn" shape="pause">
              Paused
            </Mark>
          </span>
        )}
        <Text size="xs" c="dimmed" lineClamp={1} title={state.healthReason}>
          {state.healthReason}
        </Text>
      </td>
      <td data-wide>
        {agent.type}
        <Text size="xs" c="dimmed">
          {agent.kind.toLowerCase()}
        </Text>
      </td>
      <td data-number>
        {state.readyCount} / {state.instanceCount}
      </td>
      <td data-number>{state.inFlight}</td>
      <td data-wide>
        <Utilisation value={state.utilisation} />
      </td>
      <td data-wider data-tight>
        {agent.owner === '' ? '–' : agent.owner}
      </td>
    </tr>
  );
}
