import type { AuditRecord } from '@agent-reach/sdk/protocol';
import { Prisma } from '../../storage/generated/client.js';
import { ENTRY_DIGEST } from './chain/chain.links.js';

/** What an append answers: the first and the last sequence it took, and when it was recorded. */
export interface AppendAnswer {
  readonly first: bigint;
  readonly sequence: bigint;
  readonly configVersion: bigint;
  readonly recordedAt: Date;
  /** Chain value of the entry before; null before the chain began. */
  readonly chain: Uint8Array | null;
  /** 32 bytes for each entry; null when there was none. */
  readonly digests: Uint8Array | null;
}

function rowOf(record: AuditRecord): Record<string, unknown> {
  return {
    occurred_at: new Date(record.occurredAt).toISOString(),
    kind: record.kind,
    namespace: record.namespace,
    action: record.action,
    actor: record.actor,
    on_behalf_of: record.onBehalfOf,
    target: record.target,
    caller_namespace: record.callerNamespace,
    capability: record.capability,
    instance: record.instance,
    outcome: record.outcome,
    request_id: record.requestId,
    trace_id: record.traceId,
    duration_ms: record.durationMs,
    attempts: record.attempts,
    details: record.details,
  };
}

/** The records as rows `r` of a FROM clause, with their `position` from 1. */
export function recordset(records: readonly AuditRecord[]): Prisma.Sql {
  return Prisma.sql`
    ROWS FROM (json_to_recordset(${JSON.stringify(records.map(rowOf))}::json) AS (
      occurred_at timestamptz(3), kind "AuditKind", namespace text, action text, actor text, on_behalf_of text,
      target text, caller_namespace text, capability text, instance text, outcome text, request_id text,
      trace_id text, duration_ms float8, attempts int, details jsonb
    )) WITH ORDINALITY AS r (
      occurred_at, kind, namespace, action, actor, on_behalf_of, target, caller_namespace, capability, instance,
      outcome, request_id, trace_id, duration_ms, attempts, details, position
    )`;
}

export interface AppendOptions {
  readonly bumpConfig: boolean;
  /** A common table expression that must have a row for anything to happen. */
  readonly gate?: { readonly name: string; readonly definition: Prisma.Sql };
}

/** `appendRows` of records that are in memory. */
export function appendStatement(records: readonly AuditRecord[], options: AppendOptions): Prisma.Sql {
  return appendRows(Prisma.sql`SELECT * FROM ${recordset(records)}`, options);
}

/**
 * One statement that takes the next sequences from the `audit_head` row and inserts the rows under them. `rows` is a
 * query with the columns of `recordset`. The head stays locked from here to the commit, so that sequences become visible
 * in order and without gaps; after this only `linkStatement` may follow in the transaction, and the rows are read before
 * the lock is taken. The time of recording is taken after the lock and does not go back with a clock that is set back by
 * less than an hour, so that it grows with the sequence.
 */
export function appendRows(rows: Prisma.Sql, { bumpConfig, gate }: AppendOptions): Prisma.Sql {
  const bump = bumpConfig ? 1 : 0;
  const before = gate === undefined ? Prisma.empty : Prisma.sql`${Prisma.raw(gate.name)} AS (${gate.definition}),`;
  const from = gate === undefined ? Prisma.empty : Prisma.sql`FROM ${Prisma.raw(gate.name)}`;
  return Prisma.sql`
    WITH ${before}
    records AS MATERIALIZED (${rows}),
    head AS (
      INSERT INTO audit_head (id, sequence, config_version, recorded_at)
      SELECT 1, (SELECT count(*) FROM records), ${bump}::bigint, clock_timestamp() ${from}
      ON CONFLICT (id) DO UPDATE SET
        sequence = audit_head.sequence + excluded.sequence,
        config_version = audit_head.config_version + excluded.config_version,
        recorded_at = CASE
          WHEN audit_head.recorded_at BETWEEN clock_timestamp() AND clock_timestamp() + interval '1 hour'
          THEN audit_head.recorded_at ELSE clock_timestamp() END
      RETURNING
        sequence, config_version, recorded_at, chain, sequence - (SELECT count(*) FROM records) AS before
    ),
    entries AS (
      INSERT INTO audit_entries (
        sequence, recorded_at, occurred_at, kind, namespace, action, actor, on_behalf_of, target, caller_namespace,
        capability, instance, outcome, request_id, trace_id, duration_ms, attempts, details
      )
      SELECT
        head.before + r.position, head.recorded_at, r.occurred_at, r.kind, r.namespace, r.action, r.actor,
        r.on_behalf_of, r.target, r.caller_namespace, r.capability, r.instance, r.outcome, r.request_id, r.trace_id,
        r.duration_ms, r.attempts, coalesce(r.details, '{}')
      FROM head, records AS r
      RETURNING sequence, ${ENTRY_DIGEST} AS digest
    )
    SELECT before + 1 AS first, sequence, config_version AS "configVersion", recorded_at AS "recordedAt", chain,
           (SELECT string_agg(digest, '' ORDER BY sequence) FROM entries) AS digests
      FROM head`;
}
