'use client';

import { Box, Button } from '@mantine/core';
import { StreamMark } from '@/features/live/stream-mark';
import { useFreshFigures } from '@/features/live/use-fresh-figures';
import { useRefetchWhenChanged } from '@/features/live/use-refetch-on-change';
import { useShell } from '@/features/shell/shell-context';
import { useQuery } from '@/graphql/use-query';
import { CodeBlock } from '@/ui/code-block';
import { Empty } from '@/ui/empty';
import { FailureNotice } from '@/ui/failure-notice';
import { PageHeader } from '@/ui/page-header';
import { Pager } from '@/ui/pager';
import { RowsSkeleton } from '@/ui/rows-skeleton';
import { useUrlState } from '@/ui/url-state';
import { useCursorPage } from '@/ui/use-cursor-page';
import { NO_TASK_FILTER, readTaskFilter } from './task-filter';
import { TaskFilters } from './task-filters';
import { TASK_SNIPPET } from './task-snippet';
import { TaskTable } from './task-table';
import { TASKS } from './tasks.operations';
import { useLiveTasks } from './use-live-tasks';

const PAGE_SIZE = 50;

/** Every task that runs, or ended in the last 24 hours, live. */
export function TasksPage() {
  const url = useUrlState();
  const { namespace } = useShell();
  const page = useCursorPage(PAGE_SIZE);
  const filter = readTaskFilter(url);
  const { data, failure, outdated, refetch } = useQuery(TASKS, {
    namespace: namespace ?? null,
    filter,
    ...page.variables,
  });
  const { live, state } = useLiveTasks({ namespace });
  useRefetchWhenChanged(live.structure, refetch);
  useFreshFigures(refetch);

  const filtered = Object.keys(filter).length > 0;
  const tasks = data?.tasks.nodes;
  return (
    <>
      <PageHeader
        title="Tasks"
        lead="Calls whose completion comes later, newest first. An ended task stays for 24 hours."
        actions={<StreamMark state={state} />}
      />
      <TaskFilters />
      {failure !== undefined && <FailureNotice failure={failure} onRetry={refetch} />}
      {tasks === undefined && failure === undefined && <RowsSkeleton />}
      {tasks !== undefined && tasks.length > 0 && <TaskTable tasks={tasks} live={live} stale={outdated} />}
      {tasks?.length === 0 && filtered && (
        <Empty
          title="No task matches"
          action={
            <Button variant="default" size="xs" onClick={() => url.set(NO_TASK_FILTER)}>
              Clear the filters
            </Button>
          }
        >
          Callers, agents and capabilities are compared whole: <code>agent:orders/desk</code>, <code>orders/desk</code>,{' '}
          <code>order_export</code>.
        </Empty>
      )}
      {tasks?.length === 0 && !filtered && (
        <Empty
          title="No task in the last 24 hours"
          action={
            <Box w="100%">
              <CodeBlock text={TASK_SNIPPET} label="Snippet" />
            </Box>
          }
        >
          A capability whose mode is TASK answers its caller at once, and completes when its agent is done. Declare one
          and start it:
        </Empty>
      )}
      <Pager page={page} info={data?.tasks.pageInfo} count={tasks?.length ?? 0} noun="tasks" />
    </>
  );
}
