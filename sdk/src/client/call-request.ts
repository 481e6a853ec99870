import {
  type CallTarget,
  type FallbackKind,
  type JsonObject,
  type TaskCallback,
  type TaskView,
  versionsText,
  WIRE_LIMITS,
  webhookSecretFault,
} from '../protocol/index.js';
import { Faults, shown } from './faults.js';

/** One call: whom it is for, what with, and for how long. */
export interface CallRequest extends CallTarget {
  /** Named parameters; default none. */
  readonly params?: JsonObject;
  /**
   * Names the call for ever: repeating it under the same id is the same call, unless a fallback gave a makeshift for it.
   * Default: a new UUID.
   */
  readonly requestId?: string;
  /**
   * Time for everything, waiting for a connection and the server's retries included, in ms; default by policy. Of a task:
   * for its acceptance.
   */
  readonly timeoutMs?: number;
  /** Keeps calls with the same key on the same instance, where the policy uses affinity. */
  readonly affinityKey?: string;
  /** Preferred zone; default the caller's own. */
  readonly zone?: string;
  /** W3C trace context to go on with. */
  readonly traceparent?: string;
  /** Extra headers; only those that the capability declares go through. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Where the policy lets calls wait for room: higher goes first, 0 to 9; default 5. */
  readonly priority?: number;
  /** For a task: the time from its acceptance to its end, in ms; default 15 minutes. What is no task is refused with it. */
  readonly taskTimeoutMs?: number;
  /** For a task: called with it as it was accepted, and after each change. */
  readonly onUpdate?: (task: TaskView) => void;
  /** Aborting it cancels the call, down to the agent. */
  readonly signal?: AbortSignal;
}

/** A task to start. */
export interface TaskRequest extends CallRequest {
  /** A webhook that is told of its end. */
  readonly callback?: TaskCallback;
}

/** A call to every instance that matches. */
export type BroadcastRequest = Omit<CallRequest, 'affinityKey' | 'zone' | 'priority' | 'taskTimeoutMs' | 'onUpdate'>;

/** The answer of a call with how it came about. */
export interface CallOutcome<R = unknown> {
  readonly result: R;
  readonly requestId: string;
  /** The instance that answered. */
  readonly instance: string | undefined;
  readonly attempts: number;
  /** True when this is the remembered answer of an earlier call with this requestId. */
  readonly replayed: boolean;
  /** True when it is the remembered answer of an equal call. */
  readonly cached: boolean;
  /**
   * Set when the policy's fallback gave the answer: another agent (AGENT), an answer that is no longer fresh (STALE), or a
   * fixed one (ANSWER).
   */
  readonly fallback: FallbackKind | undefined;
  /** Set when it was a task. */
  readonly taskId: string | undefined;
  readonly traceId: string | undefined;
}

/** Whether a request may be sent. Cheap when nothing is wrong: it is on the path of every call. */
export function checkCallRequest(request: TaskRequest): void {
  const { params, requestId, timeoutMs, priority, taskTimeoutMs, callback } = request;
  if (
    isAddressed(request) &&
    (params === undefined || (typeof params === 'object' && params !== null && !Array.isArray(params))) &&
    (requestId === undefined || isRequestId(requestId)) &&
    (timeoutMs === undefined || isTimeout(timeoutMs)) &&
    priority === undefined &&
    taskTimeoutMs === undefined &&
    callback === undefined
  )
    return;
  explainFaults(request);
}

function isAddressed({ capability, agent, type, need, versions }: CallRequest): boolean {
  if (versions !== undefined && versionsText(versions) !== undefined) return false;
  if (need !== undefined) return capability === undefined && isNeed(need);
  return isName(capability) || isName(agent) || isName(type);
}

/** Looks at everything. Throws INVALID_INPUT with every fault. */
function explainFaults(request: TaskRequest): void {
  const { capability, agent, type, need, versions } = request;
  const faults = new Faults();
  if (need !== undefined) {
    if (capability !== undefined)
      faults.add({ path: 'need', got: 'a need beside a capability', allowed: 'one of capability and need' });
    faults.text('need', need, 1, WIRE_LIMITS.maxSearchText);
  } else if (!isName(capability) && !isName(agent) && !isName(type))
    faults.add({
      path: 'capability',
      got: shown(capability),
      allowed: 'at least one of capability, need, agent and type, as text',
    });
  const allowedVersions = versions === undefined ? undefined : versionsText(versions);
  if (allowedVersions !== undefined) faults.add({ path: 'versions', got: shown(versions), allowed: allowedVersions });
  if (request.params !== undefined) faults.object('params', request.params);
  if (request.requestId !== undefined) faults.text('requestId', request.requestId, 1, WIRE_LIMITS.maxRequestIdLength);
  if (request.timeoutMs !== undefined) faults.integer('timeoutMs', request.timeoutMs, 1, WIRE_LIMITS.maxTimeoutMs);
  const { priority, taskTimeoutMs, callback } = request;
  if (priority !== undefined) faults.integer('priority', priority, 0, WIRE_LIMITS.maxPriority);
  if (taskTimeoutMs !== undefined) faults.integer('taskTimeoutMs', taskTimeoutMs, 1000, WIRE_LIMITS.maxTaskTimeoutMs);
  if (callback !== undefined) checkCallback(faults, callback);
  faults.raise('call');
}

function checkCallback(faults: Faults, callback: TaskCallback): void {
  faults.object('callback', callback);
  if (typeof callback !== 'object' || callback === null) return;
  const { url, secret } = callback;
  if (typeof url !== 'string' || !/^https?:\/\/\S{1,2000}$/.test(url))
    faults.add({
      path: 'callback.url',
      got: shown(url),
      allowed: 'an http or https address of at most 2,000 characters',
    });
  const fault = webhookSecretFault(secret);
  if (fault !== undefined) faults.add({ path: 'callback.secret', ...fault });
}

const isName = (value: unknown) => typeof value === 'string' && value.length > 0;
const isNeed = (value: unknown) => isName(value) && String(value).length <= WIRE_LIMITS.maxSearchText;
const isRequestId = (value: unknown) =>
  typeof value === 'string' && value.length > 0 && value.length <= WIRE_LIMITS.maxRequestIdLength;
const isTimeout = (value: unknown) =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= WIRE_LIMITS.maxTimeoutMs;
