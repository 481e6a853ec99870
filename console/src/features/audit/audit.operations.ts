import { operation } from '@/graphql/operation';
import type { StreamEvent } from '@/graphql/stream';
import { type Connection, PAGE_INFO, type PageVariables } from '@/graphql/types';

export type AuditKind = 'CALL' | 'CHANGE' | 'REFUSAL' | 'TRANSITION';
export const AUDIT_KINDS: readonly AuditKind[] = ['CALL', 'CHANGE', 'REFUSAL', 'TRANSITION'];

export interface AuditRow {
  readonly sequence: string;
  readonly occurredAt: string;
  readonly kind: AuditKind;
  readonly namespace: string;
  readonly action: string;
  readonly actor: string;
  readonly onBehalfOf: string | null;
  readonly target: string;
  readonly capability: string | null;
  readonly instance: string | null;
  readonly outcome: string;
  readonly durationMs: number | null;
  readonly attempts: number | null;
}

export interface AuditEntry extends AuditRow {
  readonly recordedAt: string;
  readonly requestId: string | null;
  readonly traceId: string | null;
  readonly details: unknown;
}

export interface AuditFilter {
  readonly kinds?: readonly AuditKind[];
  readonly from?: string;
  readonly to?: string;
  readonly caller?: string;
  readonly target?: string;
  readonly capability?: string;
  /** `OK`, an error code, or FAILED for everything but OK. */
  readonly outcome?: string;
  readonly requestId?: string;
  readonly traceId?: string;
}

const ROW_FIELDS =
  'sequence occurredAt kind namespace action actor onBehalfOf target capability instance outcome durationMs attempts';

export const AUDIT_ENTRIES = operation<
  { auditEntries: Connection<AuditRow> },
  { namespace: string | null; filter: AuditFilter } & PageVariables
>(`
  query AuditEntries($namespace: String, $filter: AuditFilter, $first: Int, $after: String, $last: Int, $before: String) {
    auditEntries(namespace: $namespace, filter: $filter, first: $first, after: $after, last: $last, before: $before) {
      nodes { ${ROW_FIELDS} }
      ${PAGE_INFO}
    }
  }
`);

export const AUDIT_ENTRY = operation<{ auditEntry: AuditEntry | null }, { sequence: string }>(`
  query AuditEntry($sequence: ID!) {
    auditEntry(sequence: $sequence) { ${ROW_FIELDS} recordedAt requestId traceId details }
  }
`);

export interface AuditFeedEvent extends StreamEvent {
  readonly entries: readonly AuditRow[];
}

export const AUDIT_FEED = operation<Record<string, AuditFeedEvent>, Record<string, unknown>>(`
  subscription AuditFeed($after: String, $namespace: String, $filter: AuditFilter) {
    auditFeed(after: $after, namespace: $namespace, filter: $filter) { kind position reason entries { ${ROW_FIELDS} } }
  }
`);

/** Whether the audit is complete and can be trusted. */
export interface AuditHealth {
  readonly alarm: { readonly reason: string; readonly since: string; readonly dropped: number } | null;
  /** Since the server started. */
  readonly dropped: number;
  readonly loaderFailure: string | null;
  readonly chainFault: string | null;
}

export const AUDIT_HEALTH = operation<{ readonly auditHealth: AuditHealth }, Record<string, never>>(
  `query AuditHealth {
    auditHealth { alarm { reason since dropped } dropped loaderFailure chainFault }
  }`,
);
