import type { RefusalReason } from '../protocol/index.js';

const BUSY_RETRY_MS = 100;

/** The acceptance of a dispatch as a frame. */
export const ackText = (dispatchId: string) => JSON.stringify({ type: 'ack', dispatchId, accepted: true });

/** The refusal of a dispatch as a frame. */
export function refusalText(dispatchId: string, reason: RefusalReason): string {
  const retryAfterMs = reason === 'BUSY' ? BUSY_RETRY_MS : undefined;
  return JSON.stringify({ type: 'ack', dispatchId, accepted: false, reason, retryAfterMs });
}
