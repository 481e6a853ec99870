import {
  type DueWebhook,
  WEBHOOK_PLACES,
  type WebhookOutbox,
  type WebhooksUnderWay,
} from '../../execute/tasks/webhooks.port.js';
import type { PrismaClient } from '../../storage/generated/client.js';
import type { TaskModel } from '../../storage/generated/models.js';
import { type TaskSealer, viewOf } from './task.rows.js';

interface Due {
  readonly task_id: string;
}

/** What of a receiver's complaint is kept. Characters. */
const MAX_ERROR = 500;

/** The outbox of webhooks in Postgres. */
export class StoredWebhooks implements WebhookOutbox {
  constructor(
    private readonly deps: {
      readonly prisma: Pick<PrismaClient, '$queryRaw' | 'webhook'>;
      readonly sealer: TaskSealer;
      /** A webhook can't be read, since another key sealed it; it is given up. */
      readonly onUnreadable: (taskId: string, error: unknown) => void;
    },
  ) {}

  async due(now: number, underWay: WebhooksUnderWay): Promise<readonly DueWebhook[]> {
    const { prisma } = this.deps;
    const { all, host, namespace } = WEBHOOK_PLACES;
    // Ranked by host first, so that one slow host of a namespace leaves places to its others.
    const due = await prisma.$queryRaw<Due[]>`
      SELECT task_id
        FROM (SELECT task_id, next_at, row_number() OVER (PARTITION BY namespace ORDER BY next_at) AS of_namespace
                FROM (SELECT *, row_number() OVER (PARTITION BY host ORDER BY next_at) AS of_host
                        FROM (SELECT task_id, next_at, namespace, substring(url FROM '^[^:]+://([^/?#]+)') AS host
                                FROM webhooks JOIN tasks ON tasks.id = task_id
                               WHERE next_at <= ${new Date(now)}
                                 AND NOT task_id = ANY(${[...underWay.taskIds]}::text[])) AS waiting
                       WHERE NOT host = ANY(${[...underWay.fullHosts]}::text[])
                         AND NOT namespace = ANY(${[...underWay.fullNamespaces]}::text[])) AS by_host
               WHERE of_host <= ${host}) AS by_namespace
       WHERE of_namespace <= ${namespace}
       ORDER BY next_at
       LIMIT ${all}`;
    const rows = await prisma.webhook.findMany({
      where: { taskId: { in: due.map(({ task_id }) => task_id) } },
      include: { task: true },
      orderBy: { nextAt: 'asc' },
    });
    const webhooks: DueWebhook[] = [];
    for (const row of rows) {
      if (row.nextAt === null) continue;
      try {
        webhooks.push(this.#read(row, row.nextAt));
      } catch (error) {
        this.deps.onUnreadable(row.taskId, error);
        await prisma.webhook.updateMany({ where: { taskId: row.taskId }, data: { nextAt: null } });
      }
    }
    return webhooks;
  }

  async nextAt(now: number): Promise<number | undefined> {
    const { _min } = await this.deps.prisma.webhook.aggregate({
      where: { nextAt: { gt: new Date(now) } },
      _min: { nextAt: true },
    });
    return _min.nextAt?.getTime();
  }

  async delivered({ task, dueAt, attempts }: DueWebhook, at: number): Promise<void> {
    await this.deps.prisma.webhook.updateMany({
      where: { taskId: task.taskId, nextAt: new Date(dueAt) },
      data: { deliveredAt: new Date(at), nextAt: null, lastError: null, attempts: attempts + 1 },
    });
  }

  async failed({ task, dueAt, attempts }: DueWebhook, error: string, nextAt: number | undefined): Promise<void> {
    await this.deps.prisma.webhook.updateMany({
      where: { taskId: task.taskId, nextAt: new Date(dueAt) },
      data: {
        attempts: attempts + 1,
        lastError: error.replaceAll('\0', '').slice(0, MAX_ERROR),
        nextAt: nextAt === undefined ? null : new Date(nextAt),
      },
    });
  }

  #read(row: { url: string; secret: Uint8Array; attempts: number; task: TaskModel }, nextAt: Date): DueWebhook {
    const { url, secret, attempts, task } = row;
    const { sealer } = this.deps;
    return {
      url,
      secret: sealer.open(task.id, 'secret', secret) as string,
      attempts,
      dueAt: nextAt.getTime(),
      task: viewOf(task, sealer),
    };
  }
}
