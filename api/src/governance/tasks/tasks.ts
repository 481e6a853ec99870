import { ReachError } from '@agent-reach/sdk/protocol';
import type { OpenTask } from '../../execute/tasks/tasks.port.js';
import type { PrismaClient } from '../../storage/generated/client.js';
import { createSealer } from '../../storage/sealing.js';
import { ClaimConnection, type ClaimConnectionOptions } from '../claims/claim.connection.js';
import { StoredTasks } from './task.reads.js';
import { deleteEndedTasks } from './task.retention.js';
import { TaskSealer } from './task.rows.js';
import { TaskWriter, type TaskWriterDeps } from './task.writer.js';
import { StoredWebhooks } from './webhook.outbox.js';

/** How often tasks that ended long ago are deleted. */
const CLEAN_MS = 60_000;

export interface StoredTasksOptions
  extends Pick<TaskWriterDeps, 'epoch' | 'now' | 'onFenced' | 'onWebhookDue' | 'log'> {
  readonly databaseUrl: string;
  readonly prisma: PrismaClient;
  readonly serverKey: Buffer;
  readonly connection?: ClaimConnectionOptions;
}

/** The durable side of one server's tasks, from now until `close`. */
export interface TaskStorage {
  readonly store: TaskWriter;
  readonly reads: StoredTasks;
  readonly outbox: StoredWebhooks;
  /** Writes what waits, for so many ms at most. */
  close(withinMs: number): Promise<void>;
}

/** Wires the durable tasks of a server; deletes those that ended 24 h ago in the background. */
export function openTaskStorage(options: StoredTasksOptions): TaskStorage {
  const { databaseUrl, prisma, serverKey, epoch, now, onFenced, onWebhookDue, log, connection } = options;
  const sealer = new TaskSealer(createSealer(serverKey, 'tasks'));
  const onUnreadable = (taskId: string, error: unknown): void =>
    log.error({ err: error, taskId }, 'a stored task can not be read');
  const reads = new StoredTasks({ prisma, sealer, onUnreadable });
  const store: TaskWriter = new TaskWriter({
    database: new ClaimConnection(databaseUrl, connection),
    sealer,
    epoch,
    now,
    openTasks: async (): Promise<readonly OpenTask[]> => {
      const { tasks, unreadable } = await reads.openTasks();
      // Nothing stays open for ever: what can't be read can be neither asked about nor dispatched again.
      for (const { id, epoch: last } of unreadable) store.end(id, last, UNREADABLE, () => {});
      return tasks;
    },
    onFenced,
    onWebhookDue,
    log,
  });
  const stopCleaning = keepClean(prisma, options);
  return {
    store,
    reads,
    outbox: new StoredWebhooks({ prisma, sealer, onUnreadable }),
    async close(withinMs) {
      stopCleaning();
      await store.close(withinMs);
    },
  };
}

const UNREADABLE = {
  state: 'UNKNOWN',
  error: new ReachError(
    'OUTCOME_UNKNOWN',
    'The server was restarted with another key and can not read what it had stored of this task.',
  ).toWire(),
} as const;

function keepClean(prisma: PrismaClient, { now, log }: StoredTasksOptions): () => void {
  let closed = false;
  let cleaning = false;
  const clean = async (): Promise<void> => {
    cleaning = true;
    try {
      await deleteEndedTasks(prisma, now(), () => !closed);
    } catch (error) {
      if (!closed) log.warn({ err: error }, 'ended tasks could not be deleted');
    } finally {
      cleaning = false;
    }
  };
  const timer = setInterval(() => {
    if (!cleaning) void clean();
  }, CLEAN_MS);
  timer.unref();
  return () => {
    closed = true;
    clearInterval(timer);
  };
}
