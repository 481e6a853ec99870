import type { AgentRef, CallerRef, CallTarget, InstanceRef } from '../protocol/index.js';
import type { Domain } from './candidate.js';

/** What a decision is asked for. */
export interface RouteRequest {
  /** Decides, by stable hashes, into which version of a policy and which domain of a split the call falls. */
  readonly requestId: string;
  readonly caller: CallerRef;
  readonly roles: readonly string[];
  /** The target's namespace, already resolved. */
  readonly namespace: string;
  readonly target: CallTarget;
  /** The zone that the call prefers, or the caller's own; undefined: no preference. */
  readonly zone: string | undefined;
  /** The caller's domain; people and programs: PRODUCTION. */
  readonly domain: Domain;
  /** Undefined or empty: none. May be a hash of the caller's own key, the same one each time. */
  readonly affinityKey: string | undefined;
  /**
   * The target is a backup that a policy's fallback names: whom the policy lists as candidates or gives ratios is about
   * calls that still go their usual way.
   */
  readonly backup?: boolean | undefined;
  /** Only this instance: a broadcast asks each by itself. */
  readonly only?: InstanceRef | undefined;
  /** Instances already tried for this call; not chosen while another is left. */
  readonly tried: ReadonlySet<InstanceRef> | undefined;
}

/** The two clocks that a decision reads. */
export interface Instant {
  /** Monotonic, ms: breakers. */
  readonly monotonic: number;
  /** Since 1970, ms: expiry of rules. */
  readonly wall: number;
}

/** Names an agent that a permission is missing for, so that an error can say which. */
export interface MissingPermission {
  readonly target: AgentRef;
  readonly capability: string;
  /** The DENY rule that decided; undefined: no rule matched. */
  readonly rule: string | undefined;
}
