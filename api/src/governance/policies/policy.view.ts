import type { Policy, PolicyContent, PolicyTest } from '@agent-reach/sdk/decide';
import type { JsonObject } from '@agent-reach/sdk/protocol';

/** One version of a policy. */
export interface PolicyVersionView {
  readonly version: number;
  readonly content: PolicyContent;
  /** Saved tests; run at each save. */
  readonly tests: readonly PolicyTest[];
  readonly author: string;
  readonly comment: string;
  /** Share of the calls that it is for, in percent; as it was last, for a version that is no longer the newest. */
  readonly rolloutPercent: number;
  /** The version that it is a copy of, when an old one was brought back. */
  readonly restoredFrom: number | null;
  readonly createdAt: Date;
}

/** A version with the content of the one before it; undefined for the first. */
export interface PolicyVersionInHistory extends PolicyVersionView {
  readonly previous: PolicyContent | undefined;
}

/** A policy in its newest version. */
export interface PolicyView extends Omit<PolicyVersionView, 'createdAt'> {
  readonly id: string;
  readonly namespace: string;
  readonly name: string;
  readonly createdAt: Date;
  /** When the newest version was saved. */
  readonly updatedAt: Date;
  /** Counts every change, those of a version's share too. */
  readonly revision: number;
  /**
   * What the calls use that are not in the share of the newest version: the newest earlier version that had 100 percent.
   * undefined: there is none, or nobody needs it, as the newest version is for all.
   */
  readonly stable: { readonly version: number; readonly content: PolicyContent } | undefined;
}

/** The version of a policy before there was one; the rest of the calls use it while the first has only a share. */
export const NO_VERSION = 0;

/** Which version the calls use that are not in the share of the newest one; NO_VERSION: as if there were no such policy. */
export function stableVersionOf({ version, rolloutPercent, stable }: PolicyView): number {
  return rolloutPercent === 100 ? version : (stable?.version ?? NO_VERSION);
}

/**
 * The policy as routers take it. While the first version has only a share of the calls, the rest has to go as if there
 * were no such policy: its stable version is then one that matches nothing.
 */
export function policyOf({ id, namespace, name, version, content, rolloutPercent, stable }: PolicyView): Policy {
  const rest = stable ?? {
    version: NO_VERSION,
    content: { ...content, match: { ...content.match, capability: '' } },
  };
  return { id, namespace, name, version, content, rolloutPercent, stable: rolloutPercent === 100 ? undefined : rest };
}

/** A policy as audit keeps it and as a CONFLICT shows it. */
export function auditOf(policy: PolicyView): JsonObject & { readonly version: number } {
  const { id, name, version, content, tests, rolloutPercent, restoredFrom, author, comment } = policy;
  return {
    id,
    name,
    version,
    content,
    tests,
    rolloutPercent,
    ...(restoredFrom === null ? {} : { restoredFrom }),
    author,
    comment,
  };
}
