import type { WireError } from './errors.js';
import type { JsonObject } from './frames.js';
import type { AgentRef, CallerRef, InstanceRef } from './names.js';

/** ACCEPTED: an instance took it. RUNNING: it reported progress. The others are ends. */
export type TaskState = 'ACCEPTED' | 'RUNNING' | 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'UNKNOWN';

/** The ends: nothing follows them. UNKNOWN can still become COMPLETED or FAILED, when the result comes after all. */
export const TASK_ENDS: readonly TaskState[] = ['COMPLETED', 'FAILED', 'CANCELLED', 'UNKNOWN'];

/** How long a task may take from its acceptance to its end when its caller says nothing, ms. */
export const TASK_TIMEOUT_MS = 15 * 60_000;

/** A call whose completion comes later, as its caller sees it. Dates are ISO 8601 in UTC. */
export interface TaskView {
  readonly taskId: string;
  readonly requestId: string;
  readonly caller: CallerRef;
  readonly namespace: string;
  readonly agent: AgentRef;
  readonly capability: string;
  /** The instance of the present dispatch. */
  readonly instance: InstanceRef;
  readonly state: TaskState;
  /** Counts the dispatches of this task; 1 for the first. */
  readonly epoch: number;
  /** What the agent reported last. */
  readonly progress?: JsonObject | undefined;
  /** Set when COMPLETED. */
  readonly result?: unknown;
  /** Set when FAILED, CANCELLED or UNKNOWN. */
  readonly error?: WireError | undefined;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** When it ends by itself. */
  readonly deadlineAt: string;
}

export interface TaskFilter {
  readonly taskId?: string;
}

/** A stream of tasks: those that are open now, then each change. */
export type TaskStreamEvent =
  | { readonly kind: 'Snapshot'; readonly position: string; readonly tasks: readonly TaskView[] }
  | { readonly kind: 'Change'; readonly position: string; readonly task: TaskView }
  | { readonly kind: 'Checkpoint'; readonly position: string }
  | { readonly kind: 'Resync'; readonly position: string; readonly reason: string };
