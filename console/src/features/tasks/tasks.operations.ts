import { operation } from '@/graphql/operation';
import type { StreamEvent } from '@/graphql/stream';
import { type Connection, PAGE_INFO, type PageVariables, type TaskState } from '@/graphql/types';

/** Those that are open, then the ends. */
export const TASK_STATES: readonly TaskState[] = ['ACCEPTED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED', 'UNKNOWN'];

export interface TaskRow {
  readonly taskId: string;
  readonly requestId: string;
  readonly caller: string;
  readonly namespace: string;
  readonly agent: string;
  readonly capability: string;
  readonly instance: string;
  readonly state: TaskState;
  readonly epoch: number;
  readonly progress: unknown;
  readonly error: { readonly code: string } | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly deadlineAt: string;
}

export interface TaskDetail extends TaskRow {
  readonly result: unknown;
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly retryable: boolean;
    readonly details: unknown;
  } | null;
}

export interface TaskFilter {
  readonly states?: readonly TaskState[];
  readonly caller?: string;
  readonly agent?: string;
  readonly capability?: string;
  readonly requestId?: string;
}

const PLAIN_FIELDS =
  'taskId requestId caller namespace agent capability instance state epoch progress createdAt updatedAt deadlineAt';
const ROW_FIELDS = `${PLAIN_FIELDS} error { code }`;
const DETAIL_FIELDS = `${PLAIN_FIELDS} result error { code message retryable details }`;

export const TASKS = operation<
  { tasks: Connection<TaskRow> },
  { namespace: string | null; filter: TaskFilter } & PageVariables
>(`
  query Tasks($namespace: String, $filter: TaskFilter, $first: Int, $after: String, $last: Int, $before: String) {
    tasks(namespace: $namespace, filter: $filter, first: $first, after: $after, last: $last, before: $before) {
      nodes { ${ROW_FIELDS} }
      ${PAGE_INFO}
    }
  }
`);

export const TASK = operation<{ task: TaskDetail | null }, { id: string }>(`
  query Task($id: ID!) { task(id: $id) { ${DETAIL_FIELDS} } }
`);

export const CANCEL_TASK = operation<{ cancelTask: TaskDetail }, { id: string }>(`
  mutation CancelTask($id: ID!) { cancelTask(id: $id) { ${DETAIL_FIELDS} } }
`);

export interface TaskEvent extends StreamEvent {
  readonly tasks: readonly TaskRow[];
}

export const TASK_UPDATES = operation<Record<string, TaskEvent>, Record<string, unknown>>(`
  subscription TaskUpdates($after: String, $filter: TaskStreamFilter) {
    taskUpdates(after: $after, filter: $filter) { kind position reason tasks { ${ROW_FIELDS} } }
  }
`);
