import { type Decision, type Ranked, type RouteInstance, STAGES } from '@agent-reach/sdk/decide';
import type { AuditRecord, CallDetails } from '@agent-reach/sdk/protocol';
import type { Instance } from '../../perceive/instance.js';
import type { CallOutcome } from '../ports.js';
import type { CallRun } from './call-run.js';
import { roundedScore } from './rounding.js';

/** The one audit record of a call that ended. `wall`: ms since 1970 of the end. */
export function callRecord(run: CallRun, outcome: CallOutcome, wall: number): AuditRecord {
  const { request, caller, decision } = run;
  const error = outcome.ok ? undefined : outcome.error;
  const { durationMs } = outcome;
  const called = run.target.capability;
  const capability = outcome.capability ?? judgedName(decision) ?? called;
  const details: CallDetails = {
    alias: called === capability ? undefined : called,
    need: request.target.need,
    replayed: outcome.replayed ? true : undefined,
    cached: outcome.cached ? true : undefined,
    fallback: outcome.fallback,
    taskId: outcome.taskId,
    stages: decision === undefined ? undefined : stagesOf(decision),
    policy: decision === undefined ? undefined : policyOf(decision),
    top: decision?.outcome === 'OK' ? decision.ranked.map(rankedOf) : [],
    attempts: run.attempts,
    paramsHash: run.paramsHash,
    error: error === undefined ? undefined : { code: error.code, message: error.message, details: error.details },
  };
  // Absent fields are undefined and vanish in JSON; spreading them in conditionally costs more than the rest of this.
  return {
    occurredAt: Math.round(wall - durationMs),
    kind: 'CALL',
    namespace: run.namespace,
    action: 'call',
    actor: caller.sentBy ?? caller.caller,
    onBehalfOf: caller.sentBy === undefined ? undefined : caller.caller,
    target: outcome.agent ?? targetText(run),
    callerNamespace: caller.namespace === run.namespace ? undefined : caller.namespace,
    capability,
    instance: outcome.instance,
    outcome: error === undefined ? 'OK' : error.code,
    requestId: request.requestId,
    traceId: run.trace.traceId,
    durationMs,
    attempts: outcome.attempts,
    details,
  };
}

/** The name that a call by alias was judged under, when nobody was left for it. */
function judgedName(decision: Decision<Instance> | undefined): string | undefined {
  if (decision === undefined || decision.outcome === 'OK') return undefined;
  return decision.permitted?.capability.name ?? decision.missing[0]?.capability;
}

/** How many came to each stage and how many it kept. */
function stagesOf({ kept, sampled }: Decision): Readonly<Record<string, readonly [number, number]>> {
  const stages: Record<string, readonly [number, number]> = {};
  let entered = kept[0] ?? 0;
  for (let index = 0; index < STAGES.length; index++) {
    const left = kept[index] ?? 0;
    stages[STAGES[index] ?? ''] = [entered, left];
    entered = index === 0 && sampled !== undefined ? sampled : left;
  }
  return stages;
}

function policyOf({ policy }: Decision) {
  return { name: policy.name, version: policy.version, strategy: policy.content.strategy.name };
}

function rankedOf({ candidate, score }: Ranked<RouteInstance>) {
  return { instance: candidate.instance.ref, score: roundedScore(score) };
}

/** Whom the caller asked for, when nobody was found. */
function targetText(run: CallRun): string {
  const { agent, type } = run.request.target;
  if (agent !== undefined) return `${run.namespace}/${agent}`;
  return type === undefined ? '' : `type:${run.namespace}/${type}`;
}
