import { Prisma } from '../../storage/generated/client.js';
import { MAX_TEXT } from './audit.clean.js';

/** The years 1 to 9999: Postgres takes more, but writes other years in a form that not every reader understands. */
const FIRST_MS = Prisma.raw(String(Date.parse('0001-01-01T00:00:00.000Z')));
const LAST_MS = Prisma.raw(String(Date.parse('9999-12-31T23:59:59.999Z')));

const clipped = (column: string): Prisma.Sql => Prisma.raw(`left(r."${column}", ${MAX_TEXT})`);

/**
 * Journal lines as rows for `appendRows`. The bytes go to Postgres as they are and are read there, which spares this
 * process the parsing. It fails with a data error for the whole of them when one is not an audit record, and says the
 * same of a record as `cleanRecord`: texts are cut, and fractions of a millisecond dropped.
 */
export function lineRows(lines: Buffer): Prisma.Sql {
  return Prisma.sql`
    SELECT
      CASE WHEN r."occurredAt" BETWEEN ${FIRST_MS} AND ${LAST_MS}
        THEN to_timestamp(trunc(r."occurredAt") / 1000)::timestamptz(3) END AS occurred_at,
      r.kind, ${clipped('namespace')} AS namespace, ${clipped('action')} AS action, ${clipped('actor')} AS actor,
      ${clipped('onBehalfOf')} AS on_behalf_of, ${clipped('target')} AS target,
      ${clipped('callerNamespace')} AS caller_namespace, ${clipped('capability')} AS capability,
      ${clipped('instance')} AS instance, ${clipped('outcome')} AS outcome, ${clipped('requestId')} AS request_id,
      ${clipped('traceId')} AS trace_id, r."durationMs" AS duration_ms, r.attempts, r.details, l.position
    FROM unnest(string_to_array(rtrim(${lines}::text, E'\n'), E'\n')) WITH ORDINALITY AS l (line, position)
    CROSS JOIN LATERAL jsonb_to_record(l.line::jsonb) AS r (
      "occurredAt" float8, kind "AuditKind", namespace text, action text, actor text, "onBehalfOf" text, target text,
      "callerNamespace" text, capability text, instance text, outcome text, "requestId" text, "traceId" text,
      "durationMs" float8, attempts int, details jsonb
    )`;
}
