import { type InstanceRef, ReachError, type WireError } from '@agent-reach/sdk/protocol';
import type { ClaimedOutcome, ClaimKey } from '../../execute/idempotency/claims.port.js';
import type { Sealer } from '../../storage/sealing.js';
import { idOf } from './claim.operations.js';
import type { ClaimRow } from './claim.rows.js';

/** Largest outcome that is kept for repetitions, as bytes of JSON. */
export const MAX_OUTCOME_BYTES = 64 * 1024;

/** What the column `result` holds, and the state that goes with it. */
export interface SealedOutcome {
  readonly state: 'DONE' | 'UNKNOWN';
  readonly sealed: Buffer;
}

export function sealOutcome(key: ClaimKey, outcome: ClaimedOutcome, sealer: Sealer): SealedOutcome {
  const unknown = !outcome.ok && outcome.error.code === 'OUTCOME_UNKNOWN';
  let text = JSON.stringify(outcome);
  if (isTooLarge(text)) {
    const { instance, attempts } = outcome;
    const error = unknown ? lost('OUTCOME_UNKNOWN', key.requestId) : lost('RESULT_NOT_KEPT', key.requestId);
    text = JSON.stringify({ ok: false, error, instance, attempts } satisfies ClaimedOutcome);
  }
  return { state: unknown ? 'UNKNOWN' : 'DONE', sealed: sealer.seal(text, idOf(key)) };
}

/** The outcome of a claim that has one; as an error when it can't be read, since it must not be executed again. */
export function openOutcome(
  { state, result }: Pick<ClaimRow, 'state' | 'result'>,
  key: ClaimKey & { readonly instance: InstanceRef },
  sealer: Sealer,
): ClaimedOutcome {
  try {
    if (result === null) throw new Error('there is no outcome');
    return JSON.parse(sealer.open(result, idOf(key)).toString()) as ClaimedOutcome;
  } catch {
    const code = state === 'UNKNOWN' ? 'OUTCOME_UNKNOWN' : 'RESULT_NOT_KEPT';
    return { ok: false, error: lost(code, key.requestId), instance: key.instance, attempts: 1 };
  }
}

function lost(code: 'OUTCOME_UNKNOWN' | 'RESULT_NOT_KEPT', requestId: string): WireError {
  const message =
    code === 'OUTCOME_UNKNOWN'
      ? `It cannot be known whether the request ${JSON.stringify(requestId)} was executed.`
      : `The request ${JSON.stringify(requestId)} was executed and answered before; its answer was not kept.`;
  return new ReachError(code, message).toWire();
}

function isTooLarge(text: string): boolean {
  // The length of a text in UTF-16 units is never above its length in bytes.
  return (
    text.length > MAX_OUTCOME_BYTES ||
    (text.length * 3 > MAX_OUTCOME_BYTES && Buffer.byteLength(text) > MAX_OUTCOME_BYTES)
  );
}
