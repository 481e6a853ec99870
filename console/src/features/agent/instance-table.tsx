import { Group, Text } from '@mantine/core';
import type { InstanceHealth } from '@/features/live/health-change';
import type { Action } from '@/features/shell/use-rights';
import { DataTable } from '@/ui/data-table';
import { Empty } from '@/ui/empty';
import { duration, percent } from '@/ui/format';
import { GuardedButton, type Right } from '@/ui/guarded-button';
import { Mono } from '@/ui/mono';
import { NsLink } from '@/ui/ns-link';
import { BreakerMark, HealthMark, LifecycleMark } from '@/ui/states';
import { Ago } from '@/ui/time';
import { Utilisation } from '@/ui/utilisation';
import type { AgentDetail, HttpEndpoint, InstanceRow } from './agent.operations';
import { liveInstances } from './live-instance';
import type { Steering, SteeringVerb } from './steering';

interface Props {
  agent: AgentDetail;
  live: ReadonlyMap<string, InstanceHealth> | undefined;
  right: (action: Action) => Right;
  onSteer: (steering: Steering) => void;
}

/** The running copies of an agent. */
export function InstanceTable({ agent, live, right, onSteer }: Props) {
  const instances = liveInstances(agent.instances, live);
  if (instances.length === 0) {
    return (
      <Empty
        title="No instance is connected"
        action={
          <NsLink href={`/agents/${agent.ref}?tab=tokens`} size="sm">
            Issue a token
          </NsLink>
        }
      >
        Start the agent with one of its tokens; it appears here within a second.
      </Empty>
    );
  }
  return (
    <DataTable
      label="Instances"
      minWidth={1000}
      head={
        <>
          <th scope="col">Instance</th>
          <th scope="col">Lifecycle</th>
          <th scope="col">Health</th>
          <th scope="col" data-number>
            In flight
          </th>
          <th scope="col" data-number>
            Tasks
          </th>
          <th scope="col" data-tight>
            Load
          </th>
          <th scope="col">Breaker</th>
          <th scope="col">Lease or probe</th>
          <th scope="col" data-tight>
            Actions
          </th>
        </>
      }
    >
      {instances.map((instance) => (
        <Row key={instance.ref} instance={instance} right={right('agents.drain')} onSteer={onSteer} />
      ))}
    </DataTable>
  );
}

function Row({
  instance,
  right,
  onSteer,
}: {
  instance: InstanceRow;
  right: Right;
  onSteer: (steering: Steering) => void;
}) {
  const button = (verb: SteeringVerb, label: string) => (
    <GuardedButton
      size="compact-xs"
      variant="default"
      needs={right}
      aria-label={`${label} ${instance.ref}`}
      onClick={() => onSteer({ verb, subject: { is: 'instance', ref: instance.ref } })}
    >
      {label}
    </GuardedButton>
  );
  const resumable = instance.lifecycle === 'PAUSED' || instance.lifecycle === 'DRAINING';
  return (
    <tr>
      <th scope="row">
        <Text size="sm" fw={500}>
          <Mono>{instance.name}</Mono>
        </Text>
        <Text size="xs" c="dimmed">
          {instance.version} · {instance.domain.toLowerCase()} · {instance.zone} · {instance.transport.toLowerCase()}
        </Text>
        <Text size="xs" c="dimmed" title={instance.incarnation}>
          incarnation <Mono>{instance.incarnation.slice(0, 10)}</Mono>
        </Text>
        {instance.endpoint !== null && (
          <Text size="xs" c="dimmed" maw={260} style={{ overflowWrap: 'anywhere' }}>
            POST <Mono>{instance.endpoint.url}</Mono>
          </Text>
        )}
        {instance.contestedSince !== null && (
          <Text size="xs" fw={500} maw={240}>
            another live process wants this name, noticed <Ago iso={instance.contestedSince} />
          </Text>
        )}
      </th>
      <td>
        <LifecycleMark lifecycle={instance.lifecycle} />
        <Text size="xs" c="dimmed">
          <Ago iso={instance.changedAt} />
        </Text>
      </td>
      <td>
        <HealthMark health={instance.health} />
        <Text size="xs" c="dimmed" maw={240}>
          {instance.reason}
        </Text>
      </td>
      <td data-number>
        {instance.inFlight} / {instance.maxConcurrency}
        {(instance.queueDepth > 0 || instance.maxQueue > 0) && (
          <Text size="xs" c="dimmed">
            {instance.queueDepth} / {instance.maxQueue} queued
          </Text>
        )}
      </td>
      <td data-number>
        {instance.tasks === 0 ? (
          `0 / ${instance.maxTasks}`
        ) : (
          <NsLink href={`/tasks?agent=${encodeURIComponent(agentOf(instance))}&state=ACCEPTED,RUNNING`} size="sm">
            {instance.tasks} / {instance.maxTasks}
          </NsLink>
        )}
      </td>
      <td>
        <Utilisation value={instance.utilisation} />
        <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          {instance.meanLatencyMs === null ? 'no latency yet' : `mean ${duration(instance.meanLatencyMs)}`}
        </Text>
        {instance.successRate !== null && (
          <Text size="xs" c="dimmed" title={QUALITY}>
            {percent(instance.successRate)} good, quality {Math.round(instance.quality)}
          </Text>
        )}
      </td>
      <td>
        <BreakerMark breaker={instance.breaker} reason={instance.breakerReason} />
        {instance.breakerReason !== '' && (
          <Text size="xs" c="dimmed" maw={180}>
            {instance.breakerReason}
          </Text>
        )}
      </td>
      <td>
        {instance.endpoint === null ? (
          <>
            {instance.lease}
            <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
              every {duration(instance.leaseIntervalMs)}, for {duration(instance.leaseTtlMs)}
            </Text>
          </>
        ) : (
          <ProbeText endpoint={instance.endpoint} />
        )}
        <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
          {instance.lastHeardMs === null ? 'not connected' : `heard ${duration(instance.lastHeardMs)} ago`}
        </Text>
      </td>
      <td>
        <Group gap={4} wrap="nowrap">
          {resumable ? button('resume', 'Resume') : button('pause', 'Pause')}
          {instance.lifecycle !== 'DRAINING' && button('drain', 'Drain')}
        </Group>
      </td>
    </tr>
  );
}

/** What an endpoint has instead of a lease: probes, and how they went while that has not changed its state yet. */
function ProbeText({ endpoint }: { endpoint: HttpEndpoint }) {
  const { healthPath, probeIntervalMs, failedProbes, probeFailure } = endpoint;
  return (
    <>
      <Mono>{healthPath}</Mono> every {duration(probeIntervalMs)}
      {failedProbes > 0 && (
        <Text size="xs" maw={220}>
          {failedProbes === 1 ? '1 probe failed' : `${failedProbes} probes failed in a row`}: {probeFailure}
        </Text>
      )}
    </>
  );
}

/** The default formula of the strategy QUALITY; a policy may have another. */
const QUALITY = 'Over five minutes: 100 + 60 · success rate − 40 · min(mean latency / 5 s, 1), which is 160 at best';

const agentOf = ({ ref }: InstanceRow) => ref.slice(0, ref.lastIndexOf('/'));
