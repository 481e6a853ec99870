import type { AttemptDetail } from './entry-details';

export type SpanKind = 'queue' | 'decide' | 'network' | 'agent';

/** One stretch of a call's time. Both in ms from the call's receipt. */
export interface Span {
  readonly kind: SpanKind;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * An attempt as stretches of time. Waiting and deciding come before the dispatch (`startedMs`); from there to the ack is
 * the network, from the ack to the end the agent. Without an ack the stretch can't be divided and counts as the agent's.
 */
export function spansOf(attempt: AttemptDetail): Span[] {
  const dispatched = attempt.startedMs;
  const decideFrom = Math.max(0, dispatched - attempt.decideMs);
  const queueFrom = Math.max(0, decideFrom - attempt.queueMs);
  const acked = dispatched + Math.min(attempt.ackMs ?? 0, attempt.durationMs);
  const spans: Span[] = [
    { kind: 'queue', fromMs: queueFrom, toMs: decideFrom },
    { kind: 'decide', fromMs: decideFrom, toMs: dispatched },
    { kind: 'network', fromMs: dispatched, toMs: acked },
    { kind: 'agent', fromMs: acked, toMs: dispatched + attempt.durationMs },
  ];
  return spans.filter(({ fromMs, toMs }) => toMs > fromMs);
}
