import { STAGES } from '@agent-reach/sdk/decide';
import type { AuditRecord } from '@agent-reach/sdk/protocol';
import type { CallRun } from './call-run.js';
import type { CallOutcome } from './ports.js';

/** The one audit record of a call that ended. `wall`: ms since 1970 of the end. */
export function callRecord(run: CallRun, outcome: CallOutcome, wall: number): AuditRecord {
  const { request, caller, decision } = run;
  const error = outcome.ok ? undefined : outcome.error;
  const { durationMs } = outcome;
  const { instance } = outcome;
  const called = request.target.capability;
  const capability = outcome.capability ?? called;
  return {
    occurredAt: wall - durationMs,
    kind: 'CALL',
    namespace: run.namespace,
    action: 'call',
    actor: caller.sentBy ?? caller.caller,
    ...(caller.sentBy === undefined ? {} : { onBehalfOf: caller.caller }),
    target: outcome.agent ?? targetText(run),
    ...(caller.namespace !== undefined && caller.namespace !== run.namespace
      ? { callerNamespace: caller.namespace }
      : {}),
    ...(capability === undefined ? {} : { capability }),
    ...(instance === undefined ? {} : { instance }),
    outcome: error === undefined ? 'OK' : error.code,
    requestId: request.requestId,
    traceId: run.trace.traceId,
    durationMs,
    attempts: run.attempts.length,
    details: {
      ...(called !== undefined && called !== capability ? { alias: called } : {}),
      ...(outcome.replayed ? { replayed: true } : {}),
      ...(decision === undefined ? {} : decisionDetails(decision)),
      attempts: run.attempts,
      paramsHash: run.paramsHash,
      ...(error === undefined ? {} : { error: { code: error.code, message: error.message, details: error.details } }),
    },
  };
}

function decisionDetails(decision: NonNullable<CallRun['decision']>) {
  const { kept, sampled, policy } = decision;
  const stages: Record<string, readonly [number, number]> = {};
  let entered = kept[0] ?? 0;
  for (let index = 0; index < STAGES.length; index++) {
    const left = kept[index] ?? 0;
    stages[STAGES[index] ?? ''] = [entered, left];
    entered = index === 0 && sampled !== undefined ? sampled : left;
  }
  return {
    stages,
    policy: { name: policy.name, version: policy.version, strategy: policy.content.strategy.name },
    top:
      decision.outcome === 'OK'
        ? decision.ranked.map(({ candidate, score }) => ({ instance: candidate.instance.ref, score }))
        : [],
  };
}

/** Whom the caller asked for, when nobody was found. */
function targetText(run: CallRun): string {
  const { agent, type } = run.request.target;
  if (agent !== undefined) return `${run.namespace}/${agent}`;
  return type === undefined ? '' : `type:${run.namespace}/${type}`;
}
