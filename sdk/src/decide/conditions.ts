import type { RouteInstance } from './candidate.js';
import type { BreakerState, LiveState } from './live.js';

/** Beyond this utilisation an instance is chosen only when nothing else is left. */
export const SATURATED = 0.9;

/** Only READY is routed to, never OFFLINE, never weight 0. */
export function isRoutable({
  live,
  weight,
}: Pick<RouteInstance, 'weight'> & { readonly live: Pick<LiveState, 'lifecycle' | 'health'> }): boolean {
  return live.lifecycle === 'READY' && live.health !== 'OFFLINE' && weight > 0;
}

export function isUnsaturated({ utilisation }: LiveState): boolean {
  return utilisation === null || utilisation <= SATURATED;
}

/** Whether a breaker lets a call through at this moment: not resting after failures, and one probe call at a time. */
export function breakerAdmits(breaker: BreakerState, monotonic: number): boolean {
  switch (breaker.state) {
    case 'CLOSED':
      return true;
    case 'OPEN':
      return breaker.until <= monotonic;
    case 'HALF_OPEN':
      return !breaker.probing;
    default:
      return breaker satisfies never;
  }
}
