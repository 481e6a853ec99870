import type { Domain } from './candidate.js';
import type { DomainSplit, PolicyContent } from './policy.js';
import type { RouteRequest } from './request.js';
import { hash32 } from './strategies/hash.js';

/** Where a call is looked for, and where it goes when nobody there can take it at all. */
export interface DomainChoice {
  readonly drawn: Domain;
  /** The same as `drawn` for a call that goes nowhere else. */
  readonly other: Domain;
  /** The share of the calls for canaries, in percent, by which it was drawn; undefined: by something else. */
  readonly canaryPercent: number | undefined;
}

/** Shares of a split hold to a hundredth of a percent. */
const SPLIT_UNITS = 10_000;

/** By a caller's domain, where nothing is drawn. A canary stands for production: what has no canary it finds there. */
const OF_CALLER: Readonly<Record<Domain, DomainChoice>> = {
  CANARY: { drawn: 'CANARY', other: 'PRODUCTION', canaryPercent: undefined },
  STAGING: { drawn: 'STAGING', other: 'STAGING', canaryPercent: undefined },
  PRODUCTION: { drawn: 'PRODUCTION', other: 'PRODUCTION', canaryPercent: undefined },
};

/**
 * A policy's split decides; without one the namespace's share for canaries, if it has one and the caller is in
 * PRODUCTION; else the caller's own domain. Lots are drawn by a stable hash of the request's id, so that retries stay in
 * their domain.
 *
 * Between canaries and production a call goes where somebody is: a version that took the place of all others must not
 * leave the calls that were not drawn for it without anybody.
 */
export function chooseDomain(
  { domainSplit }: Pick<PolicyContent, 'domainSplit'>,
  { requestId, domain }: Pick<RouteRequest, 'requestId' | 'domain'>,
  canaryPercent: number | undefined,
): DomainChoice {
  if (domainSplit !== null) {
    return { drawn: bySplit(domainSplit, lotOf(requestId)), other: domain, canaryPercent: undefined };
  }
  if (canaryPercent === undefined || domain !== 'PRODUCTION') return OF_CALLER[domain];
  return lotOf(requestId) < canaryPercent
    ? { drawn: 'CANARY', other: 'PRODUCTION', canaryPercent }
    : { drawn: 'PRODUCTION', other: 'CANARY', canaryPercent };
}

function bySplit({ CANARY, STAGING }: DomainSplit, lot: number): Domain {
  if (lot < CANARY) return 'CANARY';
  return lot < CANARY + STAGING ? 'STAGING' : 'PRODUCTION';
}

/** 0 to under 100. */
function lotOf(requestId: string): number {
  return ((hash32(`domain ${requestId}`) % SPLIT_UNITS) * 100) / SPLIT_UNITS;
}
