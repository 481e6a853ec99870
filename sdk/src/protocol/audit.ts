import type { JsonObject } from './frames.js';

export type AuditKind = 'CALL' | 'CHANGE' | 'REFUSAL' | 'TRANSITION';

/** One immutable record, before it has its place in the sequence. */
export interface AuditRecord {
  /** Wall clock of the server, milliseconds since 1970. */
  readonly occurredAt: number;
  readonly kind: AuditKind;
  /** The namespace that it belongs to (of the target, for a call). */
  readonly namespace: string;
  /** `call`, `policy.update`, `instance.SUSPECT`, `refusal.UNAUTHENTICATED` … */
  readonly action: string;
  /** A caller, or `system`. */
  readonly actor: string;
  readonly onBehalfOf?: string;
  /** What it is about: an agent, instance, policy, rule … */
  readonly target: string;
  /** The caller's namespace, when that is another one. */
  readonly callerNamespace?: string;
  readonly capability?: string;
  readonly instance?: string;
  /** `OK` or an error code. */
  readonly outcome: string;
  readonly requestId?: string;
  readonly traceId?: string;
  readonly durationMs?: number;
  readonly attempts?: number;
  /** Attempts with timing, stage counts and scores of a call; `before` and `after` of a change; `reason` of a transition. */
  readonly details: JsonObject;
}

/** Where records go that are not part of a database transaction: calls, refusals, transitions. Never throws. */
export interface AuditRecorder {
  /** Buffers the record; it is written to the on-disk journal before any frame of the same tick leaves. */
  record(entry: AuditRecord): void;
}
