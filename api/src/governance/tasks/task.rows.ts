import type { AgentRef, CallerRef, InstanceRef, JsonObject, TaskView, WireError } from '@agent-reach/sdk/protocol';
import type { CallRequest } from '../../execute/ports.js';
import type { NewTask, OpenTask, TaskCaller, TaskEnd } from '../../execute/tasks/tasks.port.js';
import type { TaskModel } from '../../storage/generated/models.js';
import type { Sealer } from '../../storage/sealing.js';
import type { OpenedRow } from './task.statements.js';

/** What of a task is sealed; each opens only as what it was sealed as. */
type Part = 'request' | 'progress' | 'outcome' | 'secret';

const placeOf = (taskId: string, part: Part): string => `${taskId} ${part}`;

/** The stored parts of a task that only this server can read. */
export class TaskSealer {
  constructor(private readonly sealer: Sealer) {}

  seal(taskId: string, part: Part, content: unknown): Buffer {
    return this.sealer.seal(JSON.stringify(content), placeOf(taskId, part));
  }

  /** Throws for what another key sealed. */
  open(taskId: string, part: Part, sealed: Uint8Array): unknown {
    return JSON.parse(this.sealer.open(sealed, placeOf(taskId, part)).toString());
  }
}

/** Requests are named by their callers, and Postgres takes no NUL and no half of a surrogate pair. Reversible. */
export function storableId(id: string): string {
  return /[\0"\p{Surrogate}]/u.test(id) ? JSON.stringify(id) : id;
}

function originalId(stored: string): string {
  return stored.startsWith('"') ? (JSON.parse(stored) as string) : stored;
}

export function openedRow(task: NewTask, sealer: TaskSealer): OpenedRow {
  const { taskId, caller, callback } = task;
  const { callback: _, ...request } = task.request;
  return {
    id: taskId,
    caller: caller.caller,
    request_id: storableId(task.requestId),
    namespace: task.namespace,
    agent: task.agent,
    capability: task.capability,
    params_hash: task.paramsHash,
    epoch: task.epoch,
    instance: task.instance,
    incarnation: task.incarnation,
    dispatch_id: task.dispatchId,
    idempotent: task.idempotent,
    request: sealer.seal(taskId, 'request', { caller, request }).toString('base64'),
    created_at: new Date(task.createdAt).toISOString(),
    deadline_at: new Date(task.deadlineAt).toISOString(),
    // In its plain form, so that the same host is always spelled the same.
    url: callback === undefined ? undefined : plainUrl(callback.url),
    secret: callback === undefined ? undefined : sealer.seal(taskId, 'secret', callback.secret).toString('base64'),
  };
}

function plainUrl(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url;
}

export function sealedEnd(taskId: string, end: TaskEnd, sealer: TaskSealer): string {
  const outcome = end.state === 'COMPLETED' ? { result: end.result } : { error: end.error };
  return sealer.seal(taskId, 'outcome', outcome).toString('base64');
}

/** A stored task as people see it. Throws for what another key sealed. */
export function viewOf(row: TaskModel, sealer: TaskSealer): TaskView {
  const outcome = row.outcome === null ? {} : (sealer.open(row.id, 'outcome', row.outcome) as Outcome);
  return {
    taskId: row.id,
    requestId: originalId(row.requestId),
    caller: row.caller as CallerRef,
    namespace: row.namespaceId,
    agent: row.agent as AgentRef,
    capability: row.capability,
    instance: row.instance as InstanceRef,
    state: row.state,
    epoch: row.epoch,
    progress: progressOf(row, sealer),
    result: outcome.result,
    error: outcome.error,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    deadlineAt: row.deadlineAt.toISOString(),
  };
}

/** A stored task that has not ended. Throws for what another key sealed. */
export function openTaskOf(row: TaskModel, sealer: TaskSealer): OpenTask {
  if (row.request === null) throw new Error(`the task ${row.id} has lost its request`);
  const { caller, request } = sealer.open(row.id, 'request', row.request) as Stored;
  return {
    taskId: row.id,
    epoch: row.epoch,
    instance: row.instance as InstanceRef,
    agent: row.agent as AgentRef,
    incarnation: row.incarnation,
    dispatchId: row.dispatchId,
    requestId: originalId(row.requestId),
    namespace: row.namespaceId,
    capability: row.capability,
    paramsHash: row.paramsHash,
    idempotent: row.idempotent,
    caller,
    request,
    createdAt: row.createdAt.getTime(),
    deadlineAt: row.deadlineAt.getTime(),
    state: row.state === 'RUNNING' ? 'RUNNING' : 'ACCEPTED',
    progress: progressOf(row, sealer),
  };
}

function progressOf({ id, progress }: TaskModel, sealer: TaskSealer): JsonObject | undefined {
  return progress === null ? undefined : (sealer.open(id, 'progress', progress) as JsonObject);
}

interface Outcome {
  readonly result?: unknown;
  readonly error?: WireError;
}

interface Stored {
  readonly caller: TaskCaller;
  readonly request: CallRequest;
}
