import type { PolicyContent } from '@agent-reach/sdk/decide';
import { ReachError } from '@agent-reach/sdk/protocol';
import { Prisma } from '../../storage/generated/client.js';
import { keysetPage, type Page, type PageRequest } from '../page.js';
import type { PolicyVersionInHistory } from './policy.view.js';

const NEWEST_FIRST = Prisma.sql`ORDER BY v.version DESC`;
const OLDEST_FIRST = Prisma.sql`ORDER BY v.version`;

type Reader = Pick<Prisma.TransactionClient, '$queryRaw'>;

/** The history of policies in Postgres. */
export class PolicyVersionStore {
  readonly #prisma: Reader;

  constructor(prisma: Reader) {
    this.#prisma = prisma;
  }

  /**
   * The same page of each of the policies, newest version first; a key is a version. One statement, however many
   * policies. Throws INVALID_INPUT for a cursor of another list.
   */
  async pages(
    ids: readonly string[],
    request: PageRequest,
  ): Promise<ReadonlyMap<string, Page<PolicyVersionInHistory>>> {
    const after = versionKey(request, 'after');
    const before = versionKey(request, 'before');
    const where = [
      ...(after === undefined ? [] : [Prisma.sql`v.version < ${after}`]),
      ...(before === undefined ? [] : [Prisma.sql`v.version > ${before}`]),
    ];
    const order = request.direction === 'FORWARD' ? NEWEST_FIRST : OLDEST_FIRST;
    const found = await readVersions(this.#prisma, ids, where, order, request.limit + 1);
    return new Map(Array.from(found, ([id, rows]) => [id, keysetPage(request, rows)]));
  }

  /** The versions of a policy with these numbers, those that there are. `client`: to read within a transaction. */
  async byNumber(
    id: string,
    numbers: readonly number[],
    client: Reader = this.#prisma,
  ): Promise<ReadonlyMap<number, PolicyVersionInHistory>> {
    const found = await readVersions(
      client,
      [id],
      [Prisma.sql`v.version = ANY(${numbers}::int[])`],
      OLDEST_FIRST,
      numbers.length,
    );
    return new Map((found.get(id) ?? []).map((version) => [version.version, version]));
  }
}

interface VersionRow extends Omit<PolicyVersionInHistory, 'previous'> {
  readonly policy: string;
  readonly previous: PolicyContent | null;
}

/** Versions of each of the policies, with the content of the version before. Conditions and order are about `v`. */
async function readVersions(
  client: Reader,
  policies: readonly string[],
  conditions: readonly Prisma.Sql[],
  order: Prisma.Sql,
  limitEach: number,
): Promise<ReadonlyMap<string, PolicyVersionInHistory[]>> {
  const rows = await client.$queryRaw<VersionRow[]>`
    SELECT p.id AS policy, v.*
      FROM unnest(${policies}::uuid[]) AS p(id)
     CROSS JOIN LATERAL (
       SELECT v.version, v.content, v.tests, v.author, v.comment, v.rollout_percent AS "rolloutPercent",
              v.restored_from AS "restoredFrom", v.created_at AS "createdAt", b.content AS previous
         FROM policy_versions v
         LEFT JOIN policy_versions b ON b.policy_uid = v.policy_uid AND b.version = v.version - 1
        WHERE ${Prisma.join([Prisma.sql`v.policy_uid = p.id`, ...conditions], ' AND ')}
        ${order} LIMIT ${limitEach}
     ) v ${order}`;
  const byPolicy = new Map<string, PolicyVersionInHistory[]>(policies.map((id) => [id, []]));
  for (const { policy, previous, ...row } of rows) {
    byPolicy.get(policy)?.push({ ...row, previous: previous ?? undefined });
  }
  return byPolicy;
}

function versionKey(request: PageRequest, path: 'after' | 'before'): number | undefined {
  const [text] = request[path] ?? [];
  if (text === undefined) return undefined;
  if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
  throw new ReachError('INVALID_INPUT', `The cursor in ${path} is not one of this list.`, {
    fields: [{ path, got: 'a foreign cursor', allowed: 'a cursor that a page of this list gave' }],
  });
}
