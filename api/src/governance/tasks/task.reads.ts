import { ReachError, type TaskView } from '@agent-reach/sdk/protocol';
import type { TaskListFilter, TaskPage, TaskPageRequest, TaskReader } from '../../execute/tasks/task-desk.js';
import { seen, sightOf } from '../../execute/tasks/task-sight.js';
import type { OpenTask, TaskReads } from '../../execute/tasks/tasks.port.js';
import type { Prisma, PrismaClient } from '../../storage/generated/client.js';
import type { TaskModel } from '../../storage/generated/models.js';
import { keysetPage } from '../page.js';
import { toReachError } from '../storage-errors.js';
import { openTaskOf, storableId, type TaskSealer, viewOf } from './task.rows.js';

export interface StoredTasksDeps {
  readonly prisma: Pick<PrismaClient, 'task'>;
  readonly sealer: TaskSealer;
  /** A task can't be read, since another key sealed it. */
  readonly onUnreadable: (taskId: string, error: unknown) => void;
}

/** Tasks in Postgres, as they are read. Everything rejects with STORAGE_UNAVAILABLE while the database is away. */
export class StoredTasks implements TaskReads {
  constructor(private readonly deps: StoredTasksDeps) {}

  async find(taskId: string): Promise<TaskView | undefined> {
    if (!isKey(taskId)) return undefined;
    const row = await this.deps.prisma.task.findUnique({ where: { id: taskId } }).catch(rethrow);
    return row === null ? undefined : viewOf(row, this.deps.sealer);
  }

  async ofDispatch(dispatchId: string): Promise<TaskView | undefined> {
    if (!isKey(dispatchId)) return undefined;
    const row = await this.deps.prisma.task.findFirst({ where: { dispatchId } }).catch(rethrow);
    return row === null ? undefined : viewOf(row, this.deps.sealer);
  }

  async page(reader: TaskReader, filter: TaskListFilter, request: TaskPageRequest): Promise<TaskPage> {
    const newestFirst = request.direction === 'FORWARD';
    const order = newestFirst ? 'desc' : 'asc';
    const rows = await this.deps.prisma.task
      .findMany({
        where: { AND: [visibleTo(reader), matching(filter), ...beyond(request)] },
        orderBy: [{ createdAt: order }, { id: order }],
        take: request.limit + 1,
      })
      .catch(rethrow);
    const page = keysetPage(request, rows);
    const sight = sightOf(reader);
    const items = page.items.flatMap((row) => {
      const view = this.#readable(row, (one) => viewOf(one, this.deps.sealer));
      const visible = view === undefined ? undefined : seen(view, sight);
      return visible === undefined ? [] : [visible];
    });
    return { ...page, items };
  }

  /** Those that have not ended, and the ids of those that can't be read. */
  async openTasks(): Promise<{ readonly tasks: readonly OpenTask[]; readonly unreadable: readonly TaskModel[] }> {
    const rows = await this.deps.prisma.task.findMany({ where: { endedAt: null } }).catch(rethrow);
    const tasks: OpenTask[] = [];
    const unreadable: TaskModel[] = [];
    for (const row of rows) {
      const task = this.#readable(row, (one) => openTaskOf(one, this.deps.sealer));
      if (task === undefined) unreadable.push(row);
      else tasks.push(task);
    }
    return { tasks, unreadable };
  }

  #readable<T>(row: TaskModel, read: (row: TaskModel) => T): T | undefined {
    try {
      return read(row);
    } catch (error) {
      this.deps.onUnreadable(row.id, error);
      return undefined;
    }
  }
}

function rethrow(error: unknown): never {
  throw toReachError(error);
}

/** Ids of tasks and dispatches; what isn't one is in no row, and Postgres might not even take it. */
function isKey(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,64}$/.test(text);
}

function visibleTo(reader: TaskReader): Prisma.TaskWhereInput {
  if (reader.kind === 'CALLER') return { caller: reader.caller };
  return reader.scope.all ? {} : { namespaceId: { in: [...reader.scope.namespaces] } };
}

function matching({ namespace, states, caller, agent, capability, requestId }: TaskListFilter): Prisma.TaskWhereInput {
  return {
    ...(namespace === undefined ? {} : { namespaceId: namespace }),
    ...(states === undefined ? {} : { state: { in: [...states] } }),
    ...(caller === undefined ? {} : { caller }),
    ...(agent === undefined ? {} : { agent }),
    ...(capability === undefined ? {} : { capability }),
    ...(requestId === undefined ? {} : { requestId: storableId(requestId) }),
  };
}

/** The list goes from the newest to the oldest. */
function beyond(request: TaskPageRequest): Prisma.TaskWhereInput[] {
  const conditions: Prisma.TaskWhereInput[] = [];
  if (request.after !== undefined) {
    const { at, id } = keyIn(request.after, 'after');
    conditions.push({ OR: [{ createdAt: { lt: at } }, { createdAt: at, id: { lt: id } }] });
  }
  if (request.before !== undefined) {
    const { at, id } = keyIn(request.before, 'before');
    conditions.push({ OR: [{ createdAt: { gt: at } }, { createdAt: at, id: { gt: id } }] });
  }
  return conditions;
}

function keyIn([date = '', id = '']: readonly string[], path: string): { at: Date; id: string } {
  const at = new Date(date);
  if (!Number.isNaN(at.getTime()) && isKey(id)) return { at, id };
  throw new ReachError('INVALID_INPUT', `The cursor in ${path} is not one of this list.`, {
    fields: [{ path, got: 'a foreign cursor', allowed: 'a cursor that a page of this list gave' }],
  });
}
