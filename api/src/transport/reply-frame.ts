import type { ReplyFrame } from '@agent-reach/sdk/protocol';
import type { CallOutcome } from '../execute/ports.js';

/** The outcome of a call as its caller gets it, over a socket and over HTTP alike. */
export function replyFrame(outcome: CallOutcome): ReplyFrame {
  const info = {
    requestId: outcome.requestId,
    ...(outcome.instance === undefined ? {} : { instance: outcome.instance }),
    attempts: outcome.attempts,
    ...(outcome.replayed ? { replayed: true } : {}),
    traceId: outcome.traceId,
  };
  return outcome.ok
    ? { type: 'reply', ok: true, result: outcome.result, ...info }
    : { type: 'reply', ok: false, error: outcome.error, ...info };
}
