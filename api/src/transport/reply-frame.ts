import type { ReplyFrame } from '@agent-reach/sdk/protocol';
import type { CallOutcome } from '../execute/ports.js';

/** The outcome of a call as its caller gets it, over a socket and over HTTP alike. */
export function replyFrame(outcome: CallOutcome): ReplyFrame {
  const { requestId, instance, attempts, traceId } = outcome;
  const replayed = outcome.replayed ? true : undefined;
  return outcome.ok
    ? { type: 'reply', ok: true, result: outcome.result, requestId, instance, attempts, replayed, traceId }
    : { type: 'reply', ok: false, error: outcome.error, requestId, instance, attempts, replayed, traceId };
}
