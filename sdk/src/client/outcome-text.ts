import type { AgentFailure } from '../protocol/index.js';

/**
 * How an execution ended, as the JSON object `{"ok":true,"result":…}` or `{"ok":false,"error":…}`. It is written once,
 * kept as it is by the record, and put into each frame that tells it.
 */
export type OutcomeText = string;

/** Throws when the result cannot be written as JSON. A handler without an answer answers null. */
export function successText(result: unknown): OutcomeText {
  return `{"ok":true,"result":${JSON.stringify(result) ?? 'null'}}`;
}

/** The failure, without details when these cannot be written as JSON. */
export function failureText(error: AgentFailure): OutcomeText {
  try {
    return JSON.stringify({ ok: false, error });
  } catch {
    return JSON.stringify({ ok: false, error: { code: error.code, message: error.message } });
  }
}

export function resultFrame(dispatchId: string, outcome: OutcomeText): string {
  return `{"type":"result","dispatchId":${JSON.stringify(dispatchId)},${outcome.slice(1)}`;
}

export function recalledFrame(dispatchId: string, outcome: OutcomeText): string {
  return `{"type":"recalled","dispatchId":${JSON.stringify(dispatchId)},"state":"DONE",${outcome.slice(1)}`;
}
