import type { PrismaClient } from '../storage/generated/client.js';

/** Empties the tables, so that the tests of a file can share one database. */
export async function wipe(prisma: PrismaClient): Promise<void> {
  await prisma.$executeRaw`
    TRUNCATE namespaces, agents, tokens, enrolment_keys, users, sessions, sign_in_links, role_bindings, audit_entries,
      audit_head, audit_links, audit_anchors, journal_cursors CASCADE`;
}
