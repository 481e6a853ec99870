'use client';

import { Text } from '@mantine/core';
import { useState } from 'react';
import { StreamMark } from '@/features/live/stream-mark';
import { useRefetchWhenChanged } from '@/features/live/use-refetch-on-change';
import { useRights } from '@/features/shell/use-rights';
import { useQuery } from '@/graphql/use-query';
import { Empty } from '@/ui/empty';
import { FailureNotice } from '@/ui/failure-notice';
import { GuardedButton } from '@/ui/guarded-button';
import { NsLink } from '@/ui/ns-link';
import { PageHeader } from '@/ui/page-header';
import { RowsSkeleton } from '@/ui/rows-skeleton';
import { TaskMark } from '@/ui/states';
import { CancelTaskDialog } from './cancel-task-dialog';
import { isEnded, newest } from './live-tasks';
import { TaskContents } from './task-contents';
import { TaskFacts } from './task-facts';
import { TASK } from './tasks.operations';
import { useLiveTasks } from './use-live-tasks';

/** One task, at an address of its own, live. */
export function TaskPage({ id }: { id: string }) {
  const { data, failure, refetch } = useQuery(TASK, { id });
  const { live, state } = useLiveTasks({ taskId: id });
  const right = useRights(data?.task?.namespace);
  const [cancelling, setCancelling] = useState(false);
  // The result comes with the answer to the query, not with the stream.
  useRefetchWhenChanged(live.structure, refetch);

  if (data === undefined)
    return failure === undefined ? <RowsSkeleton /> : <FailureNotice failure={failure} onRetry={refetch} />;
  if (data.task === null) {
    return (
      <Empty
        title={`There is no task ${id}`}
        action={
          <NsLink href="/tasks" size="sm">
            All tasks
          </NsLink>
        }
      >
        It ended more than 24 hours ago, never existed, or belongs to a namespace that you may not see.
      </Empty>
    );
  }
  // The stream names only the code of an error; the whole of it comes with the query, a moment later.
  const { error: _, ...told } = newest(data.task, live);
  const task = { ...data.task, ...told };
  return (
    <>
      <PageHeader
        above={
          <Text size="xs" c="dimmed">
            <NsLink href="/tasks" size="xs">
              Tasks
            </NsLink>{' '}
            / {task.taskId}
          </Text>
        }
        title={`Task of ${task.capability}`}
        lead={
          <span role="status" aria-label="State of the task">
            <TaskMark state={task.state} />
          </span>
        }
        actions={
          <>
            <StreamMark state={state} />
            {!isEnded(task) && (
              <GuardedButton variant="default" needs={right('tasks.cancel')} onClick={() => setCancelling(true)}>
                Cancel task
              </GuardedButton>
            )}
          </>
        }
      />
      {failure !== undefined && <FailureNotice failure={failure} onRetry={refetch} />}
      <TaskFacts task={task} />
      <TaskContents task={task} right={right('tasks.contents')} />
      {cancelling && <CancelTaskDialog task={task} onClose={() => setCancelling(false)} onCancelled={refetch} />}
    </>
  );
}
