import type { FallbackKind, WireError } from '@agent-reach/sdk/protocol';
import type { Answers } from '../cache/answers.js';
import type { AnswerSource } from '../calls/call-outcome.js';
import type { CallRun } from '../calls/call-run.js';
import { mayFallBack, nextStep } from './fallback.js';

/** What a step of the fallback came to: the call goes to another agent, or has its answer. */
export type Fallback =
  | { readonly kind: 'AGENT' }
  | { readonly kind: Exclude<FallbackKind, 'AGENT'>; readonly result: unknown; readonly from: AnswerSource };

const NOBODY: AnswerSource = { instance: undefined, agent: undefined, capability: undefined };

/** Takes the next step of the policy's fallback that helps; undefined when there is none. `error`: how it failed last. */
export function nextFallback(
  run: CallRun,
  error: WireError,
  monotonic: number,
  answers: Answers,
): Fallback | undefined {
  run.steps ??= run.policy?.content.fallback;
  const { steps = [] } = run;
  if (steps.length === 0) return undefined;
  const capability = run.last?.capability.name ?? run.target.capability;
  const failed = {
    error,
    // When nobody offers it, nothing was executed, and it may as well be idempotent.
    idempotent: run.last?.capability.idempotent ?? true,
    sentUnanswered: run.repeatedUnanswered,
    byBackup: run.fallback === 'AGENT',
  };
  if (!mayFallBack(failed)) return undefined;
  const index = nextStep(steps, run.fallbackStep, {
    leftMs: run.deadlineAt - monotonic,
    mayTry: (agent) => capability !== undefined && agent !== run.last?.instance.agent,
    hasAnswer: (maxAgeMs) => answers.stale(run, maxAgeMs) !== undefined,
  });
  const step = index === undefined ? undefined : steps[index];
  if (index === undefined || step === undefined) return undefined;
  run.fallbackStep = index + 1;
  switch (step.kind) {
    case 'AGENT':
      aimAt(run, step.agent, capability ?? '');
      return { kind: 'AGENT' };
    case 'STALE': {
      const answer = answers.stale(run, step.maxAgeMs);
      return answer && { kind: 'STALE', ...answer };
    }
    case 'ANSWER':
      return { kind: 'ANSWER', result: step.result, from: NOBODY };
    default:
      return step satisfies never;
  }
}

/** From now on the call is for the backup: it has its own tries there. */
function aimAt(run: CallRun, ref: string, capability: string): void {
  const [namespace = '', agent = ''] = ref.split('/');
  run.namespace = namespace;
  run.target = { namespace, agent, capability };
  run.earlierAttempts = run.attempts.length;
  run.lastError = undefined;
}
