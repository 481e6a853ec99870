import { WIRE_LIMITS } from '../../protocol/index.js';
import type { RequestEntry } from './memory-record.js';
import type { RequestKey } from './request-record.js';

/** One line of the file: a request began or ended, or the end of a task was confirmed. */
export type RecordLine =
  | { readonly kind: 'ENTRY'; readonly entry: RequestEntry }
  | { readonly kind: 'CONFIRMED'; readonly key: RequestKey };

/** The line of an entry, line feed included. The outcome stands in it as JSON, not as text in JSON. */
export function entryLine({ caller, requestId, capability, at, end }: RequestEntry): string {
  const start = JSON.stringify({ at, caller, requestId, capability });
  if (end === undefined) return `${start}\n`;
  const { dispatchId, awaitsConfirmation, outcome } = end;
  const rest = JSON.stringify({ dispatchId, ...(awaitsConfirmation ? { awaitsConfirmation } : {}) });
  return `${start.slice(0, -1)},${rest.slice(1, -1)},"outcome":${outcome}}\n`;
}

export function confirmedLine({ caller, requestId }: RequestKey): string {
  return `${JSON.stringify({ confirmed: true, caller, requestId })}\n`;
}

/** What a line says; undefined for one that was torn by the end of a process, or that nobody here wrote. */
export function parseLine(text: string): RecordLine | undefined {
  let line: Partial<Record<string, unknown>>;
  try {
    line = JSON.parse(text) as typeof line;
  } catch {
    return undefined;
  }
  if (typeof line !== 'object' || line === null) return undefined;
  const { at, caller, requestId, capability, dispatchId, outcome } = line;
  if (typeof caller !== 'string' || typeof requestId !== 'string') return undefined;
  if (requestId.length > WIRE_LIMITS.maxRequestIdLength) return undefined;
  const key = { caller: caller as RequestKey['caller'], requestId };
  if (line.confirmed === true) return { kind: 'CONFIRMED', key };
  if (typeof at !== 'number' || typeof capability !== 'string') return undefined;
  if (outcome === undefined) return { kind: 'ENTRY', entry: { ...key, capability, at } };
  if (typeof dispatchId !== 'string' || typeof outcome !== 'object' || outcome === null) return undefined;
  const end = {
    dispatchId,
    awaitsConfirmation: line.awaitsConfirmation === true,
    outcome: JSON.stringify(outcome),
  };
  return { kind: 'ENTRY', entry: { ...key, capability, at, end } };
}
