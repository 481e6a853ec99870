import type { AuditKind, AuditRecord, JsonObject } from '@agent-reach/sdk/protocol';
import { journalLine } from '../../storage/journal-line.js';

const KINDS: ReadonlySet<unknown> = new Set<AuditKind>(['CALL', 'CHANGE', 'REFUSAL', 'TRANSITION']);
/** Longest text of an indexed column, in characters: a b-tree row holds 2,700 bytes, and a character up to four. */
export const MAX_TEXT = 512;
const MAX_INT = 2_147_483_647;

/** What Postgres cannot store in text or jsonb: NUL and halves of surrogate pairs, as JSON.stringify writes them. */
const UNSTORABLE = /\\u0000|\\ud[89a-f]/;

function storable(text: string): string {
  return text.replace(/\p{Surrogate}|\0/gu, '\uFFFD');
}

function storableDeep(value: unknown): unknown {
  if (typeof value === 'string') return storable(value);
  if (Array.isArray(value)) return value.map(storableDeep);
  if (typeof value !== 'object' || value === null) return value;
  // fromEntries defines own properties, so that a key such as __proto__ stays plain data.
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [storable(key), storableDeep(inner)]));
}

/** By characters and not by UTF-16 units, as Postgres's left() counts. */
function line(value: string): string {
  return value.length > MAX_TEXT ? Array.from(value).slice(0, MAX_TEXT).join('') : value;
}

function optionalLine(value: unknown): string | undefined {
  return typeof value === 'string' ? line(value) : undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Brings a record into a form that the database always takes: strings shortened and free of what it cannot store,
 * numbers in range. Returns undefined for what is no audit record at all.
 */
export function cleanRecord(value: unknown): AuditRecord | undefined {
  if (!isObject(value) || !KINDS.has(value.kind) || typeof value.occurredAt !== 'number') return undefined;
  if (!Number.isFinite(new Date(value.occurredAt).getTime())) return undefined;
  const { namespace, action, actor, target, outcome, details } = value;
  if (typeof namespace !== 'string' || typeof action !== 'string' || typeof actor !== 'string') return undefined;
  if (typeof target !== 'string' || typeof outcome !== 'string') return undefined;
  const record: AuditRecord = {
    occurredAt: value.occurredAt,
    kind: value.kind as AuditKind,
    namespace: line(namespace),
    action: line(action),
    actor: line(actor),
    target: line(target),
    outcome: line(outcome),
    ...optional('onBehalfOf', optionalLine(value.onBehalfOf)),
    ...optional('callerNamespace', optionalLine(value.callerNamespace)),
    ...optional('capability', optionalLine(value.capability)),
    ...optional('instance', optionalLine(value.instance)),
    ...optional('requestId', optionalLine(value.requestId)),
    ...optional('traceId', optionalLine(value.traceId)),
    ...optional('durationMs', Number.isFinite(value.durationMs) ? Number(value.durationMs) : undefined),
    ...optional('attempts', Number.isInteger(value.attempts) ? Math.min(Number(value.attempts), MAX_INT) : undefined),
    details: isObject(details) ? details : {},
  };
  return UNSTORABLE.test(JSON.stringify(record)) ? (storableDeep(record) as AuditRecord) : record;
}

/** As `cleanRecord`, of a record that does not go through the journal, with the limits that hold there. */
export function boundedRecord(record: AuditRecord): AuditRecord | undefined {
  return cleanRecord(JSON.parse(journalLine(record)));
}

function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: V });
}
