import type { AuditKind } from '@agent-reach/sdk/protocol';
import { Prisma } from '../../storage/generated/client.js';
import type { Scope } from '../access/principal.js';
import type { StoredAuditEntry } from './audit.entry.js';

/** What is given must all match. */
export interface AuditFilter {
  readonly kinds?: readonly AuditKind[] | null | undefined;
  /** Happened at or after. */
  readonly from?: Date | null | undefined;
  /** Happened before. */
  readonly to?: Date | null | undefined;
  /** Who did it, or on whose behalf it was done: `agent:ns/id`, `app:ns/name`, `user:name` or `system`. */
  readonly caller?: string | null | undefined;
  readonly target?: string | null | undefined;
  readonly capability?: string | null | undefined;
  /** `OK`, an error code, or `FAILED` for everything but OK. */
  readonly outcome?: string | null | undefined;
  readonly requestId?: string | null | undefined;
  readonly traceId?: string | null | undefined;
  readonly action?: string | null | undefined;
}

/** Which entries a reader asks for: within the scope, optionally of one namespace, matching the filter. */
export interface AuditSelection {
  readonly scope: Scope;
  readonly namespace?: string | null | undefined;
  readonly filter?: AuditFilter | null | undefined;
}

/**
 * Recording follows what happened; an entry's `occurred_at` may lie after its `recorded_at` only by the difference of
 * two machines' clocks. Within this slack `from` spares the partitions before it.
 */
const CLOCK_SLACK_MS = 3_600_000;

/** The selection as SQL conditions, to be joined with AND. */
export function conditionsOf({ scope, namespace, filter }: AuditSelection): Prisma.Sql[] {
  const conditions: Prisma.Sql[] = [];
  if (!scope.all) {
    const visible = [...scope.namespaces];
    conditions.push(Prisma.sql`(namespace = ANY(${visible}::text[]) OR caller_namespace = ANY(${visible}::text[]))`);
  }
  if (namespace != null) conditions.push(Prisma.sql`(namespace = ${namespace} OR caller_namespace = ${namespace})`);
  if (filter == null) return conditions;
  if (filter.kinds != null) conditions.push(Prisma.sql`kind::text = ANY(${[...filter.kinds]}::text[])`);
  if (filter.from != null) {
    const recordedFrom = new Date(filter.from.getTime() - CLOCK_SLACK_MS);
    conditions.push(Prisma.sql`occurred_at >= ${filter.from} AND recorded_at >= ${recordedFrom}`);
  }
  if (filter.to != null) conditions.push(Prisma.sql`occurred_at < ${filter.to}`);
  if (filter.caller != null) conditions.push(Prisma.sql`(actor = ${filter.caller} OR on_behalf_of = ${filter.caller})`);
  if (filter.target != null) conditions.push(Prisma.sql`target = ${filter.target}`);
  if (filter.capability != null) conditions.push(Prisma.sql`capability = ${filter.capability}`);
  if (filter.outcome === 'FAILED') conditions.push(Prisma.sql`outcome <> 'OK'`);
  else if (filter.outcome != null) conditions.push(Prisma.sql`outcome = ${filter.outcome}`);
  if (filter.requestId != null) conditions.push(Prisma.sql`request_id = ${filter.requestId}`);
  if (filter.traceId != null) conditions.push(Prisma.sql`trace_id = ${filter.traceId}`);
  if (filter.action != null) conditions.push(Prisma.sql`action = ${filter.action}`);
  return conditions;
}

/** The same selection on an entry in memory; a test holds the two together. */
export function selects({ scope, namespace, filter }: AuditSelection, entry: StoredAuditEntry): boolean {
  const within = (visible: (namespace: string) => boolean): boolean =>
    visible(entry.namespace) || (entry.callerNamespace !== null && visible(entry.callerNamespace));
  if (!scope.all && !within((one) => scope.namespaces.has(one))) return false;
  if (namespace != null && !within((one) => one === namespace)) return false;
  if (filter == null) return true;
  const is = (wanted: string | null | undefined, got: string | null): boolean => wanted == null || wanted === got;
  return (
    (filter.kinds == null || filter.kinds.includes(entry.kind)) &&
    (filter.from == null || entry.occurredAt >= filter.from) &&
    (filter.to == null || entry.occurredAt < filter.to) &&
    (is(filter.caller, entry.actor) || is(filter.caller, entry.onBehalfOf)) &&
    is(filter.target, entry.target) &&
    is(filter.capability, entry.capability) &&
    (filter.outcome === 'FAILED' ? entry.outcome !== 'OK' : is(filter.outcome, entry.outcome)) &&
    is(filter.requestId, entry.requestId) &&
    is(filter.traceId, entry.traceId) &&
    is(filter.action, entry.action)
  );
}

/** Whether an index leads to the matching entries, so that looking for them needs no bound. */
export function isSelective({ filter }: AuditSelection): boolean {
  return filter?.caller != null || filter?.target != null || filter?.requestId != null || filter?.traceId != null;
}

/** Whether nothing is asked that an entry could fail. */
export function isUnfiltered({ scope, namespace, filter }: AuditSelection): boolean {
  return scope.all && namespace == null && (filter == null || Object.values(filter).every((value) => value == null));
}

/**
 * What a reader may see of an entry. Who only sees the caller's namespace learns that the call was made and how it
 * ended, nothing of what stands in the other one.
 */
export function visiblePart(scope: Scope, entry: StoredAuditEntry): StoredAuditEntry {
  if (scope.all || scope.namespaces.has(entry.namespace)) return entry;
  return { ...entry, instance: null, details: {} };
}
