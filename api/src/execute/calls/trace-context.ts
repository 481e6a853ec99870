import { randomDigits, randomId } from './random-id.js';

/** W3C trace context: version, trace id, parent id, flags. */
const TRACEPARENT = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})$/;

export interface TraceContext {
  /** 32 hex digits. */
  readonly traceId: string;
  /** What the agent gets: the same trace, this hop as its parent. */
  readonly traceparent: string;
}

/** Continues the caller's trace, or begins one when the caller sent none or an invalid one. */
export function traceContext(traceparent: string | undefined): TraceContext {
  const parsed = traceparent === undefined ? null : TRACEPARENT.exec(traceparent);
  const traceId = parsed?.[1] ?? randomId();
  return { traceId, traceparent: `00-${traceId}-${randomDigits(16)}-${parsed?.[2] ?? '00'}` };
}
