'use client';

import { Button, Text } from '@mantine/core';
import { useRef } from 'react';
import { useFreshFigures } from '@/features/live/use-fresh-figures';
import { useRefetchOnChange } from '@/features/live/use-refetch-on-change';
import { useShell } from '@/features/shell/shell-context';
import { useQuery } from '@/graphql/use-query';
import { Empty } from '@/ui/empty';
import { FailureNotice } from '@/ui/failure-notice';
import { PageHeader } from '@/ui/page-header';
import { RowsSkeleton } from '@/ui/rows-skeleton';
import { Section } from '@/ui/section';
import { Time } from '@/ui/time';
import { useUrlState } from '@/ui/url-state';
import { TOPOLOGY, type Topology } from './topology.operations';
import { TopologyFilters } from './topology-filters';
import { TopologyGraph } from './topology-graph';
import { onlyFailing, withEnds } from './topology-parts';
import { TopologyTable } from './topology-table';
import { NO_TOPOLOGY_FILTER, readTopologyFilter, readWindow } from './topology-view';
import { UnroutedTable } from './unrouted-table';

const MOST_EDGES = 200;
/** Beyond so many lines a drawing tells less than the table. */
const MOST_DRAWN = 60;

/** Who called whom lately: how often, how well, how fast, and how each end is now. */
export function TopologyPage() {
  const url = useUrlState();
  const { namespace } = useShell();
  const minutes = readWindow(url);
  const filter = readTopologyFilter(url);
  const failing = url.get('failing') === '1';
  const { data, failure, outdated, refetch } = useQuery(TOPOLOGY, {
    namespace: namespace ?? null,
    windowMs: minutes * 60_000,
    filter,
    first: MOST_EDGES,
  });
  useRefetchOnChange(refetch);
  useFreshFigures(refetch);
  // While another question is being asked, what is shown still answers the one before.
  const answered = useRef('');
  if (!outdated) answered.current = JSON.stringify([namespace, minutes, filter]);

  const found = data === undefined ? undefined : failing ? onlyFailing(data.topology) : data.topology;
  const filtered = failing || Object.keys(filter).length > 0;
  const isEmpty = found !== undefined && found.nodes.length === 0;
  return (
    <>
      <PageHeader
        title="Topology"
        lead="Who called whom lately, as the callers saw it. Lines are as thick as calls are frequent; follow one to its calls in the audit."
        actions={data !== undefined && <Stretch topology={data.topology} />}
      />
      <TopologyFilters />
      {failure !== undefined && <FailureNotice failure={failure} onRetry={refetch} />}
      {found === undefined && failure === undefined && <RowsSkeleton />}
      {found !== undefined && !isEmpty && (
        <Found
          topology={found}
          question={`${answered.current} ${failing}`}
          namespace={namespace}
          minutes={minutes}
          stale={outdated}
        />
      )}
      {isEmpty && filtered && (
        <Empty
          title="No call matches"
          action={
            <Button variant="default" size="xs" onClick={() => url.set(NO_TOPOLOGY_FILTER)}>
              Clear the filters
            </Button>
          }
        >
          Callers, agents and capabilities are compared whole: <code>orders/desk</code>, <code>app:orders/shop</code>,{' '}
          <code>reserve_stock</code>. A longer window may hold more.
        </Empty>
      )}
      {isEmpty && !filtered && (
        <Empty title="Nobody called anybody in this time">
          As soon as agents call each other, they appear here. Look further back above, or run <code>npm run demo</code>{' '}
          on the server to see ten agents at work.
        </Empty>
      )}
    </>
  );
}

/** From when to when calls were counted: the server forgets them when it starts anew. */
function Stretch({ topology: { since, until } }: { topology: Topology }) {
  return (
    <Text size="xs" c="dimmed">
      Counted from <Time iso={since} /> to <Time iso={until} />
    </Text>
  );
}

function Found({
  topology,
  question,
  namespace,
  minutes,
  stale,
}: {
  topology: Topology;
  /** What the topology answers, by value. */
  question: string;
  namespace: string | undefined;
  minutes: number;
  stale: boolean;
}) {
  const { nodes, edges, omittedEdges, uncountedCalls } = topology;
  const drawn = withEnds(topology, edges.slice(0, MOST_DRAWN));
  const unrouted = nodes.filter((node) => node.unrouted !== null);
  return (
    <>
      <TopologyGraph
        question={question}
        nodes={drawn}
        edges={edges.slice(0, MOST_DRAWN)}
        namespace={namespace}
        minutes={minutes}
      />
      <Text size="xs" c="dimmed" mt={6}>
        Amber lines have failures; dashed red ones fail one call in ten or more, business errors apart.
        {edges.length > MOST_DRAWN &&
          ` The ${MOST_DRAWN} busiest of ${edges.length} lines are drawn; the table has all.`}
        {omittedEdges > 0 && ` ${omittedEdges.toLocaleString('en')} further lines with fewer calls are left out.`}
        {uncountedCalls > 0 && ` ${uncountedCalls.toLocaleString('en')} calls found no room in the count.`}
      </Text>
      {unrouted.length > 0 && (
        <Section title="Reached nobody" note="Nobody offers what was asked for, or the caller may ask nobody for it.">
          <UnroutedTable nodes={unrouted} namespace={namespace} minutes={minutes} />
        </Section>
      )}
      {edges.length > 0 && (
        <Section title="Calls">
          <TopologyTable nodes={nodes} edges={edges} namespace={namespace} minutes={minutes} stale={stale} />
        </Section>
      )}
    </>
  );
}
