import { STAGES } from '@agent-reach/sdk/decide';

/** The parts of an entry's details that the console knows how to show. What has another shape is shown as JSON. */

export interface AttemptDetail {
  readonly instance: string;
  readonly outcome: string;
  readonly startedMs: number;
  readonly decideMs: number;
  readonly queueMs: number;
  readonly ackMs: number | null;
  readonly durationMs: number;
}

export interface StageDetail {
  readonly stage: string;
  readonly entered: number;
  readonly kept: number;
}

export interface CallDetails {
  readonly attempts: readonly AttemptDetail[];
  readonly stages: readonly StageDetail[];
  readonly policy: { readonly name: string; readonly version: number | null; readonly strategy: string } | undefined;
  readonly top: readonly { readonly instance: string; readonly score: number | null }[];
  readonly error: { readonly code: string; readonly message: string; readonly details: unknown } | undefined;
  readonly replayed: boolean;
  /** The answer was the remembered one of an equal call. */
  readonly cached: boolean;
  /** Where the answer came from, when the policy's fallback gave it: AGENT, STALE or ANSWER. */
  readonly fallback: string | undefined;
  /** The task that was accepted, or that ended. */
  readonly taskId: string | undefined;
  /** Who cancelled the task. */
  readonly cancelledBy: string | undefined;
  readonly alias: string | undefined;
  /** What the caller asked for in words, where it named no capability. */
  readonly need: string | undefined;
  readonly paramsHash: string | undefined;
}

/** The details of a call. */
export function readCallDetails(details: unknown): CallDetails {
  const source = record(details);
  const policy = source.policy === undefined ? undefined : record(source.policy);
  const error = source.error === undefined ? undefined : record(source.error);
  return {
    attempts: list(source.attempts).flatMap((value) => attempt(record(value)) ?? []),
    stages: readStages(source.stages),
    policy:
      policy === undefined
        ? undefined
        : {
            name: text(policy.name) ?? '?',
            version: number(policy.version) ?? null,
            strategy: text(policy.strategy) ?? '?',
          },
    top: list(source.top).flatMap((value) => {
      const { instance, score } = record(value);
      return typeof instance === 'string' ? [{ instance, score: number(score) ?? null }] : [];
    }),
    error:
      error === undefined
        ? undefined
        : { code: text(error.code) ?? '?', message: text(error.message) ?? '', details: error.details },
    replayed: source.replayed === true,
    cached: source.cached === true,
    fallback: text(source.fallback),
    taskId: text(source.taskId),
    cancelledBy: text(source.cancelledBy),
    alias: text(source.alias),
    need: text(source.need),
    paramsHash: text(source.paramsHash),
  };
}

const ORDER: readonly string[] = STAGES;

/** In the order of the decision: stored JSON doesn't keep the order of its keys. */
function readStages(value: unknown): StageDetail[] {
  const stages = Object.entries(record(value)).flatMap(([stage, counts]) => {
    const [entered, kept] = list(counts);
    return typeof entered === 'number' && typeof kept === 'number' ? [{ stage, entered, kept }] : [];
  });
  const place = ({ stage }: StageDetail) => {
    const index = ORDER.indexOf(stage);
    return index === -1 ? ORDER.length : index;
  };
  return stages.sort((a, b) => place(a) - place(b));
}

function attempt(source: Record<string, unknown>): AttemptDetail | undefined {
  const { instance, outcome } = source;
  const startedMs = number(source.startedMs);
  const durationMs = number(source.durationMs);
  if (
    typeof instance !== 'string' ||
    typeof outcome !== 'string' ||
    startedMs === undefined ||
    durationMs === undefined
  ) {
    return undefined;
  }
  return {
    instance,
    outcome,
    startedMs,
    durationMs,
    decideMs: number(source.decideMs) ?? 0,
    queueMs: number(source.queueMs) ?? 0,
    ackMs: number(source.ackMs) ?? null,
  };
}

/** `before` and `after` of a change, or undefined when the details hold neither. */
export function readChange(details: unknown): { readonly before: unknown; readonly after: unknown } | undefined {
  const source = record(details);
  if (!('before' in source) && !('after' in source)) return undefined;
  return { before: source.before ?? {}, after: source.after ?? {} };
}

/** From which state to which a transition went. */
export function readTransition(details: unknown): { readonly from: string; readonly to: string } | undefined {
  const { from, lifecycle, health } = record(details);
  if (typeof from !== 'string' || typeof lifecycle !== 'string' || typeof health !== 'string') return undefined;
  return { from, to: `${lifecycle}, ${health}` };
}

/** The sentence that says why, of a transition or refusal. */
export function readReason(details: unknown): string | undefined {
  const source = record(details);
  return text(source.reason) ?? text(source.message);
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
