import { createHash } from 'node:crypto';
import type { PermissionRule, PermissionSet } from '@agent-reach/sdk/decide';
import { callRights, type MayFind, rulesConcerning, type Seeker } from '../lookup/call-rights.js';

/** What one caller may call, kept up with its roles, the rules and their expiry. */
export class CallerRights {
  #may: MayFind;
  #permissions: PermissionSet;
  #rules: readonly PermissionRule[];
  #seeker: Seeker;
  /** Wall clock, ms, at which one of the rules expires. */
  #until: number;
  #name: string;

  constructor(
    private readonly permissions: () => PermissionSet,
    private readonly seeker: () => Seeker,
    now: number,
  ) {
    this.#permissions = permissions();
    this.#seeker = seeker();
    this.#rules = this.#concerning(now);
    this.#until = expiryOf(this.#rules);
    this.#may = callRights(this.#permissions, this.#seeker, now);
    this.#name = nameOf(this.#seeker, this.#rules);
  }

  /** Equal names, equal rights: tells whether somebody who comes back still has those that it left with. */
  get name(): string {
    return this.#name;
  }

  readonly may: MayFind = (agent, capability) => this.#may(agent, capability);

  /** True when what may be called could be something else from now on. */
  refresh(now: number): boolean {
    const permissions = this.permissions();
    const seeker = this.seeker();
    const isSame = seeker.caller === this.#seeker.caller;
    if (isSame && permissions === this.#permissions && seeker.roles === this.#seeker.roles && now < this.#until) {
      return false;
    }
    this.#permissions = permissions;
    this.#seeker = seeker;
    const rules = this.#concerning(now);
    this.#until = expiryOf(rules);
    if (isSame && sameRules(rules, this.#rules)) return false;
    this.#rules = rules;
    this.#may = callRights(permissions, seeker, now);
    this.#name = nameOf(seeker, rules);
    return true;
  }

  #concerning(now: number): readonly PermissionRule[] {
    return rulesConcerning(this.#permissions, this.#seeker).filter(({ expiresAt }) => (expiresAt ?? now + 1) > now);
  }
}

function nameOf({ caller, roles }: Seeker, rules: readonly PermissionRule[]): string {
  return createHash('sha256')
    .update(JSON.stringify([caller, roles, rules]))
    .digest('base64url')
    .slice(0, 12);
}

function expiryOf(rules: readonly PermissionRule[]): number {
  return Math.min(...rules.map(({ expiresAt }) => expiresAt ?? Number.POSITIVE_INFINITY));
}

function sameRules(a: readonly PermissionRule[], b: readonly PermissionRule[]): boolean {
  return (
    a.length === b.length &&
    a.every((rule, index) => rule === b[index] || JSON.stringify(rule) === JSON.stringify(b[index]))
  );
}
