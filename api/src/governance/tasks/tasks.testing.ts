import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';
import type { NewTask, TaskEnd, TaskOpened } from '../../execute/tasks/tasks.port.js';
import { openTestDatabase, type TestDatabase } from '../../storage/testing.js';
import { raiseNodeEpoch } from '../claims/node-epoch.js';
import { openTaskStorage, type TaskStorage } from './tasks.js';

/** The wall clock of these tests. */
export const NOW = Date.parse('2026-01-01T00:00:00.000Z');

export const COMPLETED: TaskEnd = { state: 'COMPLETED', result: { pages: 7 } };
export const CANCELLED: TaskEnd = {
  state: 'CANCELLED',
  error: { code: 'CANCELLED', message: 'The task was cancelled.', retryable: false },
};
export const UNKNOWN: TaskEnd = {
  state: 'UNKNOWN',
  error: { code: 'OUTCOME_UNKNOWN', message: 'nobody knows', retryable: false },
};

/** No webhook is under way. */
export const NOTHING = { taskIds: [], fullHosts: [], fullNamespaces: [] };

/** A task of `agent:shop/web`. */
export function newTask(taskId: string, overrides: Partial<NewTask> = {}): NewTask {
  return {
    taskId,
    epoch: 1,
    instance: 'shop/reports/one',
    agent: 'shop/reports',
    incarnation: 'inc-one',
    dispatchId: `d-${taskId}`,
    requestId: `r-${taskId}`,
    namespace: 'shop',
    capability: 'report',
    paramsHash: 'h1',
    idempotent: false,
    caller: { caller: 'agent:shop/web', namespace: 'shop', roles: ['buyer'], zone: 'eu', domain: 'PRODUCTION' },
    request: { requestId: `r-${taskId}`, target: { capability: 'report' }, params: { secretWord: 'aubergine' } },
    createdAt: NOW,
    deadlineAt: NOW + 900_000,
    callback: undefined,
    ...overrides,
  };
}

/** Servers on one database: each has its own storage and number. */
export class TaskServers {
  readonly serverKey = randomBytes(32);
  readonly logged: string[] = [];
  fenced = 0;
  due = 0;
  now = NOW;
  readonly #open: TaskStorage[] = [];

  private constructor(readonly database: TestDatabase) {}

  static async create(): Promise<TaskServers> {
    return new TaskServers(await openTestDatabase());
  }

  async start(serverKey = this.serverKey): Promise<TaskStorage> {
    const log = (level: string) => (_: unknown, message: string) => void this.logged.push(`${level}: ${message}`);
    const storage = openTaskStorage({
      databaseUrl: this.database.url,
      prisma: this.database.prisma,
      serverKey,
      epoch: await raiseNodeEpoch(this.database.prisma),
      now: () => this.now,
      onFenced: () => {
        this.fenced++;
      },
      onWebhookDue: () => {
        this.due++;
      },
      log: { error: log('error'), warn: log('warn'), info: log('info') },
      connection: { answerTimeoutMs: 2_000 },
    });
    this.#open.push(storage);
    return storage;
  }

  /** Nobody gets a connection, and those that there are end. */
  async goAway(): Promise<void> {
    const name = this.database.url.replace(/.*\//, '');
    await asAdmin([
      `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
    ]);
  }

  async comeBack(): Promise<void> {
    await asAdmin([`ALTER DATABASE ${this.database.url.replace(/.*\//, '')} ALLOW_CONNECTIONS true`]);
  }

  async close(): Promise<void> {
    for (const storage of this.#open) await storage.close(500);
    await this.database.close();
  }
}

async function asAdmin(statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: inject('databaseAdminUrl') });
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

export function open({ store }: TaskStorage, task: NewTask): Promise<TaskOpened> {
  return new Promise((resolve) => store.open(task, resolve));
}

export function end({ store }: TaskStorage, taskId: string, outcome: TaskEnd, epoch = 1): Promise<boolean> {
  return new Promise((resolve) => store.end(taskId, epoch, outcome, resolve));
}

export function move({ store }: TaskStorage, task: NewTask, epoch: number, dispatchId: string): Promise<boolean> {
  const { taskId, agent } = task;
  const to = { taskId, agent, epoch, dispatchId, instance: 'shop/reports/two', incarnation: 'inc-two' } as const;
  return new Promise((resolve) => store.move(to, resolve));
}
