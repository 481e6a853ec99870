import type { PolicyContent, PolicyTest } from '@agent-reach/sdk/decide';
import { Prisma } from '../../storage/generated/client.js';
import type { PolicyView } from './policy.view.js';

/** A policy with its newest version, and the version for the rest of the calls where there is one. */
interface PolicyRow {
  readonly id: string;
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  readonly createdAt: Date;
  readonly version: number;
  readonly content: PolicyContent;
  readonly tests: readonly PolicyTest[];
  readonly author: string;
  readonly comment: string;
  readonly rolloutPercent: number;
  readonly restoredFrom: number | null;
  readonly updatedAt: Date;
  readonly stableVersion: number | null;
  readonly stableContent: PolicyContent | null;
}

function selectPolicies(where: Prisma.Sql, tail: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT p.uid AS id, p.namespace, p.name, p.revision, p.created_at AS "createdAt",
           n.version, n.content, n.tests, n.author, n.comment, n.rollout_percent AS "rolloutPercent",
           n.restored_from AS "restoredFrom", n.created_at AS "updatedAt",
           s.version AS "stableVersion", s.content AS "stableContent"
      FROM policies p
      JOIN policy_versions n ON n.policy_uid = p.uid AND n.version = p.current_version
      LEFT JOIN LATERAL (
        SELECT v.version, v.content FROM policy_versions v
         WHERE v.policy_uid = p.uid AND v.version < n.version AND v.rollout_percent = 100
         ORDER BY v.version DESC LIMIT 1
      ) s ON n.rollout_percent < 100
     WHERE ${where} ${tail}`;
}

function viewOf({ stableVersion, stableContent, ...row }: PolicyRow): PolicyView {
  const stable =
    stableVersion === null || stableContent === null ? undefined : { version: stableVersion, content: stableContent };
  return { ...row, stable };
}

/**
 * Reads policies by one statement, so that newest and stable version belong to the same moment. `where` and `tail` are
 * about `p`, the policies.
 */
export async function readPolicies(
  client: Pick<Prisma.TransactionClient, '$queryRaw'>,
  where: Prisma.Sql,
  tail: Prisma.Sql = Prisma.empty,
): Promise<PolicyView[]> {
  return (await client.$queryRaw<PolicyRow[]>(selectPolicies(where, tail))).map(viewOf);
}
