import { Text } from '@mantine/core';
import { DataTable } from '@/ui/data-table';
import { duration } from '@/ui/format';
import { Mono } from '@/ui/mono';
import { NsLink } from '@/ui/ns-link';
import { OutcomeMark } from '@/ui/states';
import { Ago } from '@/ui/time';
import { NodeLink } from './node-link';
import type { CalledCapability, OutcomeCount, TopologyEdge, TopologyNode } from './topology.operations';
import { edgeHref } from './topology-links';
import { failedShare, rate } from './topology-words';

/** Capabilities that a row names; the audit has them all. */
const NAMED = 3;

/** The edges of the graph, and those that it has no room for, as rows. */
export function TopologyTable({
  nodes,
  edges,
  namespace,
  minutes,
  stale,
}: {
  nodes: readonly TopologyNode[];
  edges: readonly TopologyEdge[];
  namespace: string | undefined;
  minutes: number;
  stale: boolean;
}) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const nodeLink = (id: string) => {
    const node = byId.get(id);
    if (node === undefined) return id;
    return <NodeLink node={node} namespace={namespace} minutes={minutes} />;
  };
  return (
    <DataTable
      label="Calls by caller and agent"
      minWidth={820}
      stale={stale}
      head={
        <>
          <th scope="col">Caller</th>
          <th scope="col">Agent</th>
          <th scope="col">Capabilities</th>
          <th scope="col" data-number>
            Calls
          </th>
          <th scope="col" data-number>
            Rate
          </th>
          <th scope="col">Failed</th>
          <th scope="col" data-number>
            p50
          </th>
          <th scope="col" data-number>
            p95
          </th>
          <th scope="col" data-tight>
            Last call
          </th>
        </>
      }
    >
      {edges.map((edge) => (
        <tr key={`${edge.from} ${edge.to}`}>
          <th scope="row">{nodeLink(edge.from)}</th>
          <td>{nodeLink(edge.to)}</td>
          <td>
            <Names capabilities={edge.capabilities} />
          </td>
          <td data-number>
            <NsLink href={edgeHref(edge, minutes)} size="sm">
              {edge.calls.toLocaleString('en')}
            </NsLink>
            {edge.fromMemory > 0 && (
              <Text size="xs" c="dimmed">
                {edge.fromMemory.toLocaleString('en')} from memory
              </Text>
            )}
          </td>
          <td data-number>{rate(edge.callsPerMinute)}</td>
          <td>
            <Failures edge={edge} minutes={minutes} />
          </td>
          <td data-number>{edge.latency === null ? '–' : duration(edge.latency.p50Ms)}</td>
          <td data-number>{edge.latency === null ? '–' : duration(edge.latency.p95Ms)}</td>
          <td data-tight>
            <Ago iso={edge.lastCallAt} />
          </td>
        </tr>
      ))}
    </DataTable>
  );
}

function Failures({ edge, minutes }: { edge: TopologyEdge; minutes: number }) {
  const share = failedShare(edge);
  if (share === undefined) return '–';
  return (
    <>
      <NsLink href={edgeHref(edge, minutes, 'FAILED')} size="sm">
        {share}
      </NsLink>
      <Outcomes outcomes={edge.outcomes} />
    </>
  );
}

/** How calls failed, each with its count. */
export function Outcomes({ outcomes }: { outcomes: readonly OutcomeCount[] }) {
  return outcomes.map(({ outcome, calls }) => (
    <div key={outcome} style={{ whiteSpace: 'nowrap' }}>
      <OutcomeMark outcome={outcome} />{' '}
      <Text span size="xs" c="dimmed">
        × {calls.toLocaleString('en')}
      </Text>
    </div>
  ));
}

/** The most called capabilities by name. */
export function Names({ capabilities }: { capabilities: readonly CalledCapability[] }) {
  const named = capabilities.slice(0, NAMED);
  const more = capabilities.length - named.length;
  return (
    <>
      {named.map(({ name }) => (
        <div key={name}>
          <Mono wrap={false}>{name ?? 'others'}</Mono>
        </div>
      ))}
      {more > 0 && (
        <Text size="xs" c="dimmed">
          and {more} more
        </Text>
      )}
    </>
  );
}
