import type { AgentRef, CallerRef, CallTarget, InstanceRef } from '@agent-reach/sdk/protocol';
import type { KnownClaim } from '../../execute/idempotency/claims.port.js';
import type { Sealer } from '../../storage/sealing.js';
import { openOutcome } from './claim.outcome.js';

/** A claim as it is stored. */
export interface ClaimRow {
  readonly caller: string;
  readonly request_id: string;
  readonly namespace: string;
  readonly target: string;
  readonly capability: string;
  readonly params_hash: string;
  readonly state: string;
  readonly node_epoch: string;
  readonly instance: string | null;
  readonly incarnation: string | null;
  readonly dispatch_id: string | null;
  readonly result: Uint8Array | null;
}

export function claimOf(row: ClaimRow, sealer: Sealer): KnownClaim {
  const instance = (row.instance ?? '') as InstanceRef;
  const key = { caller: row.caller as CallerRef, requestId: decoded(row.request_id), instance };
  return {
    ...key,
    namespace: row.namespace,
    target: JSON.parse(row.target) as CallTarget,
    capability: row.capability,
    paramsHash: row.params_hash,
    incarnation: decoded(row.incarnation ?? ''),
    dispatchId: row.dispatch_id ?? '',
    nodeEpoch: BigInt(row.node_epoch),
    agent: instance.slice(0, instance.lastIndexOf('/')) as AgentRef,
    outcome: row.state === 'RUNNING' ? undefined : openOutcome(row, key, sealer),
  };
}

/** What Postgres takes in no text (NUL, half of a surrogate pair), or what an encoded text begins with. */
const UNSTORABLE = /\p{Surrogate}|\0|^"/u;

/** A text of a client in a form that Postgres can store; different texts stay different. */
export function encoded(text: string): string {
  // JSON escapes exactly what Postgres refuses.
  return UNSTORABLE.test(text) ? JSON.stringify(text) : text;
}

function decoded(text: string): string {
  return text.startsWith('"') ? (JSON.parse(text) as string) : text;
}
