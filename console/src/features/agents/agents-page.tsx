'use client';

import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlugConnected, IconPlus } from '@tabler/icons-react';
import { useLive } from '@/features/live/live-provider';
import { useFreshFigures } from '@/features/live/use-fresh-figures';
import { useRefetchOnChange } from '@/features/live/use-refetch-on-change';
import { useShell } from '@/features/shell/shell-context';
import { useRights } from '@/features/shell/use-rights';
import { useQuery } from '@/graphql/use-query';
import { Empty } from '@/ui/empty';
import { FailureNotice } from '@/ui/failure-notice';
import { GuardedButton } from '@/ui/guarded-button';
import { PageHeader } from '@/ui/page-header';
import { Pager } from '@/ui/pager';
import { RowsSkeleton } from '@/ui/rows-skeleton';
import { useUrlState } from '@/ui/url-state';
import { useCursorPage } from '@/ui/use-cursor-page';
import { NO_AGENT_FILTER, readAgentFilter } from './agent-filter';
import { AgentFilters } from './agent-filters';
import { AgentTable } from './agent-table';
import { AGENTS } from './agents.operations';
import { NewAgentDialog } from './new-agent-dialog';
import { RegisterEndpointDialog } from './register-endpoint-dialog';

const PAGE_SIZE = 50;

/** Every agent that can be reached, or should be, live. */
export function AgentsPage() {
  const url = useUrlState();
  const { namespace } = useShell();
  const page = useCursorPage(PAGE_SIZE);
  const filter = readAgentFilter(url);
  const { data, failure, outdated, refetch } = useQuery(AGENTS, {
    namespace: namespace ?? null,
    filter,
    ...page.variables,
  });
  const live = useLive();
  const right = useRights(namespace);
  const [creating, dialog] = useDisclosure(false);
  const [registering, endpointDialog] = useDisclosure(false);
  useRefetchOnChange(refetch);
  useFreshFigures(refetch);

  const filtered = Object.keys(filter).length > 0;
  const agents = data?.agents.nodes;
  const newAgent = (
    <GuardedButton needs={right('agents.write')} onClick={dialog.open} leftSection={<IconPlus size={15} />}>
      New agent
    </GuardedButton>
  );
  const actions = (
    <>
      <GuardedButton
        variant="default"
        needs={right('agents.write')}
        onClick={endpointDialog.open}
        leftSection={<IconPlugConnected size={15} />}
      >
        Register HTTP agent
      </GuardedButton>
      {newAgent}
    </>
  );

  return (
    <>
      <PageHeader title="Agents" lead="Who can be reached now, in what state, and how busy." actions={actions} />
      <AgentFilters />
      {failure !== undefined && <FailureNotice failure={failure} onRetry={refetch} />}
      {agents === undefined && failure === undefined && <RowsSkeleton />}
      {agents !== undefined && agents.length > 0 && <AgentTable agents={agents} live={live.agents} stale={outdated} />}
      {agents?.length === 0 && filtered && (
        <Empty
          title="No agent matches"
          action={
            <Button variant="default" size="xs" onClick={() => url.set(NO_AGENT_FILTER)}>
              Clear the filters
            </Button>
          }
        >
          Nothing in {namespace ?? 'any namespace'} fits the search and filters above.
        </Empty>
      )}
      {agents?.length === 0 && !filtered && (
        <Empty title="No agents yet" action={newAgent}>
          Create one to get its token and a snippet that joins it in a minute, or run <code>npm run demo</code> on the
          server to see ten of them at work.
        </Empty>
      )}
      <Pager page={page} info={data?.agents.pageInfo} count={agents?.length ?? 0} noun="agents" />
      <NewAgentDialog opened={creating} onClose={dialog.close} onCreated={refetch} />
      <RegisterEndpointDialog opened={registering} onClose={endpointDialog.close} onRegistered={refetch} />
    </>
  );
}
