import type { ErrorCode } from './errors.js';
import type { FallbackKind, JsonObject } from './frames.js';
import type { InstanceRef } from './names.js';

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

/** What audit keeps of an attempt. Times in ms; `startedMs` counts from the call's receipt. */
export interface AttemptRecord {
  readonly instance: InstanceRef;
  /** `OK` or an error code. */
  readonly outcome: 'OK' | ErrorCode;
  readonly startedMs: number;
  /** Choosing the instance. */
  readonly decideMs: number;
  /** Waiting before this attempt: backoff, or a queue. */
  readonly queueMs: number;
  /** Dispatch to ack; null when the result came without one, or neither came. */
  readonly ackMs: number | null;
  /** Dispatch to the end. */
  readonly durationMs: number;
}

/** The details of a call's record. */
export type CallDetails = {
  /** The word that the caller used for the capability, where that is an alias. */
  readonly alias: string | undefined;
  /** What the caller asked for in words, where it named no capability. */
  readonly need: string | undefined;
  /** An earlier outcome of the same requestId was given again. */
  readonly replayed: true | undefined;
  /** The remembered answer of an equal call was given. */
  readonly cached: true | undefined;
  /** What the policy's fallback gave the answer by. */
  readonly fallback: FallbackKind | undefined;
  /** The task that was accepted. */
  readonly taskId: string | undefined;
  /** How many candidates came to each stage and how many it kept. */
  readonly stages: Readonly<Record<string, readonly [number, number]>> | undefined;
  readonly policy: { readonly name: string; readonly version: number; readonly strategy: string } | undefined;
  /** The best three, the chosen one first. */
  readonly top: readonly { readonly instance: InstanceRef; readonly score: number }[];
  readonly attempts: readonly AttemptRecord[];
  /** Keyed hash of the parameters. */
  readonly paramsHash: string;
  readonly error: { readonly code: ErrorCode; readonly message: string; readonly details: unknown } | undefined;
};

/** Where records go that are not part of a database transaction: calls, refusals, transitions. Never throws. */
export interface AuditRecorder {
  /** Buffers the record; it is written to the on-disk journal before any frame of the same tick leaves. */
  record(entry: AuditRecord): void;
}
