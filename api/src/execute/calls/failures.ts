import { type Candidate, describe, type NoneLeft, stageCounts } from '@agent-reach/sdk/decide';
import {
  type AgentFailure,
  type CallerRef,
  type CallTarget,
  type ErrorCode,
  type FieldFault,
  ReachError,
  type WireError,
} from '@agent-reach/sdk/protocol';
import type { Instance } from '../../perceive/instance.js';
import { SWEEP_MS } from '../../perceive/registry.js';
import type { CallRun } from './call-run.js';
import type { Chain } from './loops.js';

/** Suggests when to come back while everybody is full: about one short call. */
const OVERLOADED_RETRY_MS = 200;
/** The same while they are full of tasks, which take long. */
const TASKS_FULL_RETRY_MS = 5_000;

export interface MissingRule {
  readonly caller: CallerRef;
  readonly target: string;
  readonly capability: string;
}

/** Builds the console link that opens the form for a missing rule, filled in. */
export type RuleLink = (missing: MissingRule) => string;

/** What a decision was asked for, and by whom. */
export interface Asked {
  readonly caller: CallerRef;
  readonly target: CallTarget;
  readonly namespace: string;
  /** Whether the caller may see the namespace. */
  readonly visible: boolean;
}

/** The error of a decision that left nobody. What the caller may neither see nor call answers like what doesn't exist. */
export function noneLeft(decision: NoneLeft<Instance>, asked: Asked, monotonic: number, link: RuleLink): WireError {
  const { caller, visible } = asked;
  const hidden = !visible && decision.permitted === undefined;
  if (hidden || (decision.matched === 0 && decision.ambiguous === undefined)) {
    const details = hidden ? { stages: [] } : { stages: stageCounts(decision), policy: decision.policy.name };
    return new ReachError('NO_ROUTE', nobodyMatches(asked), { details }).toWire();
  }
  const stages = stageCounts(decision);
  if (decision.outcome === 'DENIED') return denied(decision, caller, link);
  const shown = visible ? stages : stages.filter((count) => count.stage !== 'TARGET' && count.stage !== 'PERMISSION');
  const retryAfterMs = retryAfter(decision, monotonic);
  return new ReachError(decision.outcome, describe(decision), {
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    details: { stages: shown, policy: decision.policy.name },
  }).toWire();
}

/** Names what was asked for, so that whoever mistyped it sees it. */
function nobodyMatches({ target, namespace }: Asked): string {
  const { agent, type, capability, tags = [], versions } = target;
  const parts = Object.entries({ capability, agent, type, tags: tags.join(', ') || undefined, versions });
  const given = parts.filter(([, value]) => value !== undefined).map(([name, value]) => `${name} ${value}`);
  return `Nobody is registered in ${namespace} who matches the target: ${given.join(', ')}.`;
}

function denied(decision: NoneLeft<Instance>, caller: CallerRef, link: RuleLink): WireError {
  const first = decision.missing[0];
  const missing = { caller, target: first?.target ?? '', capability: first?.capability ?? '' };
  const what = `${caller} may not call ${missing.target}:${missing.capability}`;
  if (first?.rule !== undefined) {
    return new ReachError('DENIED', `${what}: rule ${first.rule} denies it.`, {
      details: { rule: first.rule },
    }).toWire();
  }
  const url = link(missing);
  return new ReachError(
    'DENIED',
    `${what}: no rule allows it. Missing is ALLOW ${caller} → ${missing.target}:${missing.capability}; an admin can add it at ${url}`,
    { details: { missing: { ...missing, effect: 'ALLOW' }, link: url } },
  ).toWire();
}

function retryAfter(decision: NoneLeft<Instance>, monotonic: number): number | undefined {
  if (decision.outcome === 'OVERLOADED') {
    return decision.permitted?.capability.mode === 'TASK' ? TASKS_FULL_RETRY_MS : OVERLOADED_RETRY_MS;
  }
  const breaker = decision.permitted?.instance.live.breaker;
  if (decision.outcome === 'CIRCUIT_OPEN' && breaker?.state === 'OPEN') {
    return Math.max(0, Math.ceil(breaker.until - monotonic));
  }
  const state = decision.permitted?.instance.state;
  if (decision.stage === 'LIFECYCLE' && state?.name === 'STARTING') {
    // The grace ends at the first sweep after it.
    return Math.max(0, Math.ceil(state.readyAt - monotonic)) + SWEEP_MS;
  }
  return undefined;
}

export function invalidParams(capability: string, faults: readonly FieldFault[]): WireError {
  const [first, ...more] = faults;
  const where = first === undefined || first.path === '' ? 'params' : `params.${first.path}`;
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  return new ReachError(
    'INVALID_PARAMS',
    `The parameters of ${capability} do not match: ${where}: got ${first?.got}, allowed: ${first?.allowed}${others}.`,
    { fields: faults.map((fault) => ({ ...fault, path: fault.path === '' ? 'params' : `params.${fault.path}` })) },
  ).toWire();
}

export function invalidResult(capability: string, faults: readonly FieldFault[]): WireError {
  const first = faults[0];
  return new ReachError(
    'INVALID_RESULT',
    `The result of ${capability} does not match its outputSchema: ${first?.path === '' ? 'result' : first?.path}: got ${first?.got}, allowed: ${first?.allowed}.`,
    { fields: faults },
  ).toWire();
}

/** A result came in a frame that can't be taken. */
export function unusableResult({ message, fields = [] }: WireError): WireError {
  return new ReachError('INVALID_RESULT', `The result can't be passed on: ${message}`, { fields }).toWire();
}

export function agentFailure(failure: AgentFailure): WireError {
  return new ReachError(failure.code, failure.message, {
    retryable: failure.retryable ?? false,
    ...(failure.details === undefined ? {} : { details: failure.details }),
  }).toWire();
}

export function loopDetected(chain: Chain | undefined, next: string): WireError {
  const agents: string[] = [next];
  for (let link = chain; link !== undefined; link = link.above) agents.unshift(link.agent);
  return new ReachError('LOOP_DETECTED', `The call would loop or nest too deeply: ${agents.join(' → ')}.`, {
    details: { chain: agents },
  }).toWire();
}

const SENTENCES: Partial<Record<ErrorCode, (instance: string) => string>> = {
  CONNECT_FAILED: (instance) => `${instance} could not be reached; nothing was executed.`,
  ACK_TIMEOUT: (instance) => `${instance} did not accept the dispatch in time.`,
  RESPONSE_TIMEOUT: (instance) => `${instance} did not answer in time.`,
  CONNECTION_LOST: (instance) => `The connection to ${instance} broke before its answer came.`,
  CANCELLED: () => 'The caller cancelled the call or went away.',
  REFUSED: (instance) => `${instance} refused the dispatch.`,
};

/** An attempt on an instance ended without an answer of the agent. */
export function attemptFailure(code: ErrorCode, instance: string, retryAfterMs?: number): WireError {
  const message = SENTENCES[code]?.(instance) ?? code;
  return new ReachError(code, message, retryAfterMs === undefined ? {} : { retryAfterMs }).toWire();
}

/** A task that was accepted after its caller had cancelled it; it is stopped, and can be looked up. */
export function cancelledTask({ request }: CallRun, taskId: string): WireError {
  return { ...attemptFailure('CANCELLED', request.requestId), details: { taskId } };
}

/** A non-idempotent call ended without an answer after it was handed over: nobody can know. */
export function outcomeUnknown(cause: WireError, requestId: string): WireError {
  return new ReachError(
    'OUTCOME_UNKNOWN',
    `${cause.message} The capability is not idempotent, so it was not repeated, and it cannot be known whether it was executed (requestId ${requestId}).`,
    { details: { cause: cause.code } },
  ).toWire();
}

/** A task is to be dispatched again, and who offers its capability now does not take tasks. */
export function noLongerATask({ instance, capability }: Candidate<Instance>): WireError {
  const message = `${instance.ref} offers ${capability.name} as a call and not as a task any more.`;
  return new ReachError('NO_ROUTE', message).toWire();
}

/** Nothing may be sent before it is durable, and it could not be made so in time. */
export function storageUnavailable(): WireError {
  return new ReachError(
    'STORAGE_UNAVAILABLE',
    'The database is away, and what may not be executed twice is not sent without it. Nothing was sent; repeat later.',
  ).toWire();
}

/** It was executed, and its outcome could not be made durable in time. */
export function executedButNotStored(requestId: string): WireError {
  return new ReachError(
    'OUTCOME_UNKNOWN',
    `The agent answered, but the database is away and the answer could not be stored in time; repeat the request under the same requestId (${requestId}) to get it.`,
    { retryable: true, details: { cause: 'STORAGE_UNAVAILABLE' } },
  ).toWire();
}

/** What a claim keeps when the server itself failed after the call was sent. */
export function faultOfServer(error: WireError, requestId: string): WireError {
  return outcomeUnknown(error, requestId);
}

export function requestIdTaken({ request, caller }: Pick<CallRun, 'request' | 'caller'>): WireError {
  return new ReachError(
    'CONFLICT',
    `The requestId ${JSON.stringify(request.requestId)} was used by ${caller.caller} for another target or other parameters; use a new one for a new request.`,
  ).toWire();
}

/** Everybody stayed full for as long as the policy lets a call wait. */
export function tookTooLongInQueue(waitedMs: number): WireError {
  const message = `Everybody who could take it stayed full for the ${Math.round(waitedMs)} ms that the policy lets a call wait.`;
  return new ReachError('OVERLOADED', message, { retryAfterMs: OVERLOADED_RETRY_MS }).toWire();
}

/** Everybody is full, and so is the queue that the policy gives the capability. */
export function queueFull(maxLength: number): WireError {
  const message = `Everybody who could take it is full, and ${maxLength} calls wait already, as many as the policy lets wait.`;
  return new ReachError('OVERLOADED', message, { retryAfterMs: OVERLOADED_RETRY_MS }).toWire();
}

/** What a caller says of a task only, so that who says it takes the capability for one. */
const OF_TASKS = {
  callback: 'nobody would be called back',
  taskTimeoutMs: 'nothing goes on after its answer',
} as const;

/** The call says what only a task can use, and would be executed like any other, unlike what its caller thinks. */
export function noTask(capability: string, given: readonly (keyof typeof OF_TASKS)[]): WireError {
  const [first = 'callback'] = given;
  const message = `${first}: ${capability} answers at once and is no task, so ${OF_TASKS[first]}; leave ${given.join(' and ')} out.`;
  const allowed = 'only where the capability is a task (mode TASK)';
  return new ReachError('INVALID_PARAMS', message, {
    fields: given.map((path) => ({ path, got: `a ${path} for ${capability}`, allowed })),
  }).toWire();
}

export function rateLimited(caller: string, calls: number, windowMs: number, retryAfterMs: number): WireError {
  return new ReachError(
    'RATE_LIMITED',
    `${caller} may call this ${calls} times in ${windowMs} ms, and has; the next call is possible in ${retryAfterMs} ms.`,
    { retryAfterMs, details: { calls, windowMs } },
  ).toWire();
}
