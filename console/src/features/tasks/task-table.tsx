import { Text } from '@mantine/core';
import { DataTable } from '@/ui/data-table';
import { Mono } from '@/ui/mono';
import { NsLink } from '@/ui/ns-link';
import { TaskMark } from '@/ui/states';
import { Ago, Time } from '@/ui/time';
import { isEnded, type LiveTasks, newest } from './live-tasks';
import { progressText } from './progress-text';
import type { TaskRow } from './tasks.operations';

/** The tasks of a page, each in the state that the stream tells. */
export function TaskTable({ tasks, live, stale }: { tasks: readonly TaskRow[]; live: LiveTasks; stale: boolean }) {
  return (
    <DataTable
      label="Tasks"
      minWidth={760}
      stale={stale}
      head={
        <>
          <th scope="col">Task</th>
          <th scope="col">State</th>
          <th scope="col">Progress</th>
          <th scope="col" data-tight>
            Agent
          </th>
          <th scope="col" data-wide data-tight>
            Caller
          </th>
          <th scope="col" data-tight>
            Age
          </th>
          <th scope="col" data-wider data-tight>
            Ends at the latest
          </th>
        </>
      }
    >
      {tasks.map((task) => (
        <Row key={task.taskId} task={newest(task, live)} />
      ))}
    </DataTable>
  );
}

function Row({ task }: { task: TaskRow }) {
  return (
    <tr>
      <th scope="row">
        <NsLink href={`/tasks/${encodeURIComponent(task.taskId)}`} size="sm" fw={500}>
          {task.capability}
        </NsLink>
        <Text size="xs" c="dimmed" data-wide>
          <Mono>{task.taskId}</Mono>
        </Text>
      </th>
      <td>
        <TaskMark state={task.state} />
        {task.state === 'FAILED' && task.error !== null && (
          <Text size="xs" c="dimmed">
            {task.error.code}
          </Text>
        )}
        {task.epoch > 1 && (
          <Text size="xs" c="dimmed">
            dispatched {task.epoch} times
          </Text>
        )}
      </td>
      <td>{progressText(task.progress) ?? '–'}</td>
      <td data-tight>
        <Mono>{task.agent}</Mono>
        <Text size="xs" c="dimmed">
          on <Mono>{task.instance.slice(task.instance.lastIndexOf('/') + 1)}</Mono>
        </Text>
      </td>
      <td data-wide data-tight>
        <Mono>{task.caller}</Mono>
      </td>
      <td>
        <Ago iso={task.createdAt} />
      </td>
      <td data-wider>{isEnded(task) ? '–' : <Time iso={task.deadlineAt} />}</td>
    </tr>
  );
}
