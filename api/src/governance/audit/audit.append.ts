import type { AuditRecord } from '@agent-reach/sdk/protocol';
import { Prisma } from '../../storage/generated/client.js';

/** What an append answers: the last sequence it took, and when it was recorded. */
export interface AppendAnswer {
  readonly sequence: bigint;
  readonly configVersion: bigint;
  readonly recordedAt: Date;
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

/**
 * One statement that takes the next sequences from the `audit_head` row and inserts the records under them. The row
 * stays locked from here to the commit, so that sequences become visible in order and without gaps; it must therefore
 * be the transaction's last statement. The time of recording is taken after the lock and grows with the sequence.
 *
 * `gate` names a common table expression that must have a row for anything to happen; `before` defines it.
 */
export function appendStatement(
  records: readonly AuditRecord[],
  options: { readonly bumpConfig: boolean; readonly gate?: { readonly name: string; readonly definition: Prisma.Sql } },
): Prisma.Sql {
  const count = records.length;
  const bump = options.bumpConfig ? 1 : 0;
  const gate = options.gate;
  const before = gate === undefined ? Prisma.empty : Prisma.sql`${Prisma.raw(gate.name)} AS (${gate.definition}),`;
  const from = gate === undefined ? Prisma.empty : Prisma.sql`FROM ${Prisma.raw(gate.name)}`;
  return Prisma.sql`
    WITH ${before}
    head AS (
      INSERT INTO audit_head (id, sequence, config_version)
      SELECT 1, ${count}::bigint, ${bump}::bigint ${from}
      ON CONFLICT (id) DO UPDATE SET
        sequence = audit_head.sequence + excluded.sequence,
        config_version = audit_head.config_version + excluded.config_version
      RETURNING sequence, config_version, clock_timestamp()::timestamptz(3) AS recorded_at
    ),
    entries AS (
      INSERT INTO audit_entries (
        sequence, recorded_at, occurred_at, kind, namespace, action, actor, on_behalf_of, target, caller_namespace,
        capability, instance, outcome, request_id, trace_id, duration_ms, attempts, details
      )
      SELECT
        head.sequence - ${count}::bigint + r.position, head.recorded_at, r.occurred_at, r.kind, r.namespace, r.action,
        r.actor, r.on_behalf_of, r.target, r.caller_namespace, r.capability, r.instance, r.outcome, r.request_id,
        r.trace_id, r.duration_ms, r.attempts, coalesce(r.details, '{}')
      FROM head, ${recordset(records)}
    )
    SELECT sequence, config_version AS "configVersion", recorded_at AS "recordedAt" FROM head`;
}
