import type { AuditKind, AuditRecord, JsonObject } from '@agent-reach/sdk/protocol';
import type { AuditEntryModel } from '../../storage/generated/models.js';

/** One immutable record with its place in the sequence, as it stands in the database. */
export interface StoredAuditEntry {
  readonly sequence: bigint;
  readonly recordedAt: Date;
  readonly occurredAt: Date;
  readonly kind: AuditKind;
  /** Empty for what belongs to no namespace (sign-ins, users); only credentials for all namespaces see that. */
  readonly namespace: string;
  readonly action: string;
  readonly actor: string;
  readonly onBehalfOf: string | null;
  readonly target: string;
  readonly callerNamespace: string | null;
  readonly capability: string | null;
  readonly instance: string | null;
  readonly outcome: string;
  readonly requestId: string | null;
  readonly traceId: string | null;
  readonly durationMs: number | null;
  readonly attempts: number | null;
  readonly details: JsonObject;
}

export function storedEntry(record: AuditRecord, sequence: bigint, recordedAt: Date): StoredAuditEntry {
  return {
    sequence,
    recordedAt,
    occurredAt: new Date(record.occurredAt),
    kind: record.kind,
    namespace: record.namespace,
    action: record.action,
    actor: record.actor,
    onBehalfOf: record.onBehalfOf ?? null,
    target: record.target,
    callerNamespace: record.callerNamespace ?? null,
    capability: record.capability ?? null,
    instance: record.instance ?? null,
    outcome: record.outcome,
    requestId: record.requestId ?? null,
    traceId: record.traceId ?? null,
    durationMs: record.durationMs ?? null,
    attempts: record.attempts ?? null,
    details: record.details,
  };
}

export function entryOfRow(row: AuditEntryModel): StoredAuditEntry {
  const { namespaceId, details, ...rest } = row;
  return {
    ...rest,
    namespace: namespaceId,
    details: typeof details === 'object' && details !== null && !Array.isArray(details) ? details : {},
  };
}
