import type { AgentVersionRecord, CanaryEnd, Domain } from '../../perceive/model.js';
import type { Prisma } from '../../storage/generated/client.js';
import { NO_END, storedEnd } from '../canary/canary.end.js';

/** What is known when a person moves a version to another domain. */
export interface DomainMove {
  readonly version: AgentVersionRecord;
  readonly to: Domain;
  /** Who moves it. */
  readonly by: string;
  /** Whether its namespace tries new versions out. */
  readonly tries: boolean;
  /** What was counted of it while it was on trial. */
  readonly facts: { readonly calls: number; readonly failures: number };
  readonly now: Date;
}

/**
 * What moving a version means for its trial: into CANARY a new one begins, if its namespace tries versions out; out of it
 * the one that runs ends; and one that was returned or stopped is released to production. Any other move makes what came
 * of an earlier trial a thing of the past.
 */
export function domainMove(move: DomainMove): Prisma.AgentVersionUpdateInput {
  const { version, to, tries, now } = move;
  if (version.domain === to) return {};
  if (to === 'CANARY') return { domain: to, canarySince: tries ? now : null, canaryEnd: NO_END };
  const end = endBy(move);
  return end === undefined
    ? { domain: to, canarySince: null, canaryEnd: NO_END }
    : { domain: to, canaryEnd: storedEnd(end) };
}

function endBy({ version, to, by, tries, facts, now }: DomainMove): CanaryEnd | undefined {
  const { domain, canarySince, canaryEnd } = version;
  if (domain === 'CANARY' && (tries || canarySince !== null)) {
    const released = to === 'PRODUCTION';
    const { calls, failures } = facts;
    return released
      ? { kind: 'RELEASED', reason: `released by ${by}`, at: now, calls, failures }
      : { kind: 'STOPPED', reason: `stopped by ${by}`, at: now, calls, failures };
  }
  if (domain !== 'STAGING' || to !== 'PRODUCTION' || canaryEnd === null) return undefined;
  return { ...canaryEnd, kind: 'RELEASED', reason: `released by ${by}; before: ${canaryEnd.reason}`, at: now };
}
