import type { TaskOpened } from '../../execute/tasks/tasks.port.js';
import type { ClaimDatabase } from '../claims/claim.connection.js';
import type { TaskBatch, TaskOperation } from './task.operations.js';
import { storableId } from './task.rows.js';
import { type FoundRow, LOOK_UP, WRITE, type WriteAnswer } from './task.statements.js';

/** What became of an operation. */
export type Written =
  | { readonly kind: 'DONE' }
  /** Something else stands there: the task that has the place of one that was to be opened, where it is one. */
  | { readonly kind: 'NOT'; readonly found: FoundRow | undefined };

export type BatchAnswer =
  | { readonly kind: 'FENCED' }
  /** In the order of the operations. `due`: it made webhooks due. */
  | { readonly kind: 'WRITTEN'; readonly written: readonly Written[]; readonly due: boolean };

const DONE: Written = { kind: 'DONE' };

/** Writes one batch. Writing it again after its answer was lost gives the same answer. Throws what the database throws. */
export async function writeBatch(
  database: Pick<ClaimDatabase, 'query'>,
  epoch: bigint,
  { operations, progress }: TaskBatch,
): Promise<BatchAnswer> {
  const of = <Kind extends TaskOperation['kind']>(kind: Kind) =>
    operations.filter((one): one is Extract<TaskOperation, { kind: Kind }> => one.kind === kind);
  const [answer] = await database.query<WriteAnswer>(WRITE, [
    epoch.toString(),
    JSON.stringify(of('OPEN').map(({ row }) => row)),
    JSON.stringify(of('MOVE').map(movedRow)),
    JSON.stringify(
      of('END').map(({ taskId, epoch, state, outcome, progress: last, at }) => {
        return { id: taskId, epoch, state, outcome, progress: last?.progress, progress_epoch: last?.epoch, at };
      }),
    ),
    JSON.stringify(Array.from(progress, ([id, newest]) => ({ id, ...newest }))),
    JSON.stringify(of('DROP').map(({ taskId }) => ({ id: taskId }))),
  ]);
  if (answer === undefined || answer.head === 0) return { kind: 'FENCED' };
  const done = new Set(answer.done);
  const missing = operations.filter(({ kind, taskId }) => kind !== 'DROP' && !done.has(taskId));
  const found = missing.length === 0 ? new Map<string, FoundRow>() : await lookUp(database, missing);
  const written = operations.map((operation): Written => {
    if (operation.kind === 'DROP' || done.has(operation.taskId)) return DONE;
    const row = found.get(operation.taskId);
    return row !== undefined && isOurs(operation, row) ? DONE : { kind: 'NOT', found: row };
  });
  return { kind: 'WRITTEN', written, due: answer.due > 0 };
}

function movedRow({ to, at }: Extract<TaskOperation, { kind: 'MOVE' }>) {
  const { taskId, epoch, instance, agent, incarnation, dispatchId } = to;
  return { id: taskId, epoch, instance, agent, incarnation, dispatch_id: dispatchId, at };
}

async function lookUp(database: Pick<ClaimDatabase, 'query'>, missing: readonly TaskOperation[]) {
  const asked = missing.map((one) =>
    one.kind === 'OPEN'
      ? { id: one.taskId, caller: one.task.caller.caller, request_id: storableId(one.task.requestId) }
      : { id: one.taskId },
  );
  const rows = await database.query<FoundRow>(LOOK_UP, [JSON.stringify(asked)]);
  return new Map(rows.map((row) => [row.asked, row]));
}

/** It was written before, and only the answer was lost. */
function isOurs(operation: TaskOperation, row: FoundRow): boolean {
  switch (operation.kind) {
    case 'OPEN':
      return row.id === operation.taskId;
    case 'MOVE':
      return !row.ended && row.dispatch_id === operation.to.dispatchId;
    case 'END':
      // No two sealings are the same. Postgres breaks its base64 into lines.
      return row.outcome?.replaceAll('\n', '') === operation.outcome;
    case 'DROP':
      return true;
    default:
      return operation satisfies never;
  }
}

/** What the caller of a task that was asked for before hears. */
export function knownTask({ task }: Extract<TaskOperation, { kind: 'OPEN' }>, row: FoundRow): TaskOpened {
  const { agent } = task.request.target;
  const sameRequest =
    row.params_hash === task.paramsHash &&
    row.namespace === task.namespace &&
    row.capability === task.capability &&
    // Where the caller leaves the agent open, another may have been chosen then.
    (agent === undefined || row.agent === `${task.namespace}/${agent}`);
  return { kind: 'KNOWN', taskId: row.id, sameRequest };
}
