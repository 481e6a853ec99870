import { type ErrorCode, ReachError, type RecalledFrame, type ResultFrame } from '@agent-reach/sdk/protocol';
import { agentFailure, outcomeUnknown } from '../calls/failures.js';
import type { ClaimedOutcome, KnownClaim } from './claims.port.js';

type Ended = ResultFrame | Extract<RecalledFrame, { state: 'DONE' }>;

/** What an instance says that the execution came to. How often it was tried before the restart is not known: once at least. */
export function outcomeOf(frame: Ended, { instance }: Pick<KnownClaim, 'instance'>): ClaimedOutcome {
  if (frame.ok) return { ok: true, result: frame.result, instance, attempts: 1 };
  return { ok: false, error: agentFailure(frame.error), instance, attempts: 1 };
}

/** Why nobody can know what became of an execution that an earlier server began. */
export type Unknown = 'ABSENT' | 'LOST' | 'TOO_LONG' | 'FORGOTTEN' | 'REPLACED' | 'ENDPOINT';

const CAUSES: Record<Unknown, { readonly code: ErrorCode; readonly sentence: (instance: string) => string }> = {
  ABSENT: {
    code: 'CONNECTION_LOST',
    sentence: (instance) =>
      `The server was restarted meanwhile, and ${instance} did not say in time what became of it.`,
  },
  LOST: {
    code: 'CONNECTION_LOST',
    sentence: (instance) => `The server was restarted meanwhile, and then the connection to ${instance} broke.`,
  },
  TOO_LONG: {
    code: 'RESPONSE_TIMEOUT',
    sentence: (instance) => `The server was restarted meanwhile, and ${instance} did not come to an end in time.`,
  },
  FORGOTTEN: {
    code: 'OUTCOME_UNKNOWN',
    sentence: (instance) => `The server was restarted meanwhile, and ${instance} began it and can't tell how it ended.`,
  },
  ENDPOINT: {
    code: 'CONNECTION_LOST',
    sentence: (instance) =>
      `The server was restarted meanwhile, and ${instance} is an HTTP endpoint, whose answer went with the connection.`,
  },
  REPLACED: {
    code: 'CONNECTION_LOST',
    sentence: (instance) => `Both the server and ${instance} were restarted meanwhile.`,
  },
};

export function unknownOutcome({ instance, requestId }: KnownClaim, why: Unknown): ClaimedOutcome {
  const { code, sentence } = CAUSES[why];
  const cause = new ReachError(code, sentence(instance)).toWire();
  return { ok: false, error: outcomeUnknown(cause, requestId), instance, attempts: 1 };
}

export function isUnknown(outcome: ClaimedOutcome): boolean {
  return !outcome.ok && outcome.error.code === 'OUTCOME_UNKNOWN';
}
