import type { AcceptedFrame, ReplyFrame } from '@agent-reach/sdk/protocol';
import type { CallOutcome } from '../execute/ports.js';

/** The outcome of a call as its caller gets it, over a socket and over HTTP alike: its end, or a task's acceptance. */
export function replyFrame(outcome: CallOutcome): ReplyFrame | AcceptedFrame {
  const { requestId, instance, attempts, fallback, traceId, taskId } = outcome;
  const replayed = outcome.replayed ? true : undefined;
  const cached = outcome.cached ? true : undefined;
  if (!outcome.ok) {
    const { error } = outcome;
    return { type: 'reply', ok: false, error, requestId, instance, attempts, replayed, cached, fallback, traceId };
  }
  if (taskId !== undefined) return { type: 'accepted', taskId, requestId, instance, attempts, replayed, traceId };
  const { result } = outcome;
  return { type: 'reply', ok: true, result, requestId, instance, attempts, replayed, cached, fallback, traceId };
}
