import { randomUUID } from 'node:crypto';
import type { AcceptedFrame, BroadcastFrame, CallFrame, CallTarget, ReplyFrame } from '../protocol/index.js';
import type { BroadcastRequest, CallOutcome, CallRequest, TaskRequest } from './call-request.js';

/** What is sent for a call; the time that is left is filled in when it is. */
export type SentFrame = (CallFrame | BroadcastFrame) & { timeoutMs?: number };

// What is undefined does not leave: JSON has no word for it.
const targetOf = ({ namespace, agent, type, capability, need, tags, versions }: CallRequest) =>
  ({ namespace, agent, type, capability, need, tags, versions }) as CallTarget;

/** A request as its frame. */
export const callFrame = (request: TaskRequest, serving: string | undefined) =>
  ({
    type: 'call',
    requestId: request.requestId ?? randomUUID(),
    target: targetOf(request),
    params: request.params ?? {},
    timeoutMs: undefined,
    traceparent: request.traceparent,
    affinityKey: request.affinityKey,
    zone: request.zone,
    headers: request.headers,
    serving,
    priority: request.priority,
    callback: request.callback,
    taskTimeoutMs: request.taskTimeoutMs,
  }) as SentFrame;

/** A request to everybody as its frame. */
export const broadcastFrame = (request: BroadcastRequest) =>
  ({
    type: 'broadcast',
    requestId: request.requestId ?? randomUUID(),
    target: targetOf(request),
    params: request.params ?? {},
    traceparent: request.traceparent,
    headers: request.headers,
  }) as SentFrame;

/** An answer as its caller gets it. */
export function outcomeOf(frame: ReplyFrame | AcceptedFrame, result: unknown, taskId: string | undefined): CallOutcome {
  return {
    result,
    requestId: frame.requestId,
    instance: frame.instance,
    attempts: frame.attempts,
    replayed: frame.replayed ?? false,
    cached: frame.cached ?? false,
    fallback: frame.fallback,
    taskId,
    traceId: frame.traceId,
  };
}
