import type { PrismaClient } from '../../storage/generated/client.js';

/** How long a task is kept after its end, ms. */
export const KEPT_MS = 24 * 3_600_000;
const BATCH = 1_000;

/** Deletes the tasks that ended longer ago than they are kept, a thousand at a time while `goOn` says so. */
export async function deleteEndedTasks(
  prisma: Pick<PrismaClient, '$executeRaw'>,
  now: number,
  goOn: () => boolean = () => true,
): Promise<number> {
  const before = new Date(now - KEPT_MS);
  let deleted = 0;
  while (goOn()) {
    const count = await prisma.$executeRaw`
      DELETE FROM tasks WHERE id IN (SELECT id FROM tasks WHERE ended_at < ${before} LIMIT ${BATCH})`;
    deleted += count;
    if (count < BATCH) break;
  }
  return deleted;
}
