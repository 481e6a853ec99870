import { DataTable } from '@/ui/data-table';
import { NsLink } from '@/ui/ns-link';
import { Ago } from '@/ui/time';
import { NodeLink } from './node-link';
import type { TopologyNode } from './topology.operations';
import { outcomeHref } from './topology-links';
import { Names, Outcomes } from './topology-table';

/** Who asked in vain, and for what. */
export function UnroutedTable({
  nodes,
  namespace,
  minutes,
}: {
  nodes: readonly TopologyNode[];
  namespace: string | undefined;
  minutes: number;
}) {
  return (
    <DataTable
      label="Calls that reached nobody"
      minWidth={620}
      head={
        <>
          <th scope="col">Caller</th>
          <th scope="col">Asked for</th>
          <th scope="col" data-number>
            Calls
          </th>
          <th scope="col">Ended as</th>
          <th scope="col" data-tight>
            Last call
          </th>
        </>
      }
    >
      {nodes.map((node) => {
        const { unrouted } = node;
        const outcome = unrouted?.outcomes[0]?.outcome;
        if (unrouted === null || outcome === undefined) return null;
        return (
          <tr key={node.id}>
            <th scope="row">
              <NodeLink node={node} namespace={namespace} minutes={minutes} />
            </th>
            <td>
              <Names capabilities={unrouted.capabilities} />
            </td>
            <td data-number>
              <NsLink href={outcomeHref(node.id, outcome, minutes)} size="sm">
                {unrouted.calls.toLocaleString('en')}
              </NsLink>
            </td>
            <td>
              <Outcomes outcomes={unrouted.outcomes} />
            </td>
            <td data-tight>
              <Ago iso={unrouted.lastCallAt} />
            </td>
          </tr>
        );
      })}
    </DataTable>
  );
}
