import type { CallerRef } from '../protocol/index.js';
import type { Policy } from './policy.js';
import { concerns, narrowestFirst } from './policy-match.js';
import { RolloutDraw, stableVersion } from './policy-rollout.js';

/** One version of a policy that calls may fall into. */
interface Variant {
  readonly policy: Policy;
  /** Draws who is in the rollout of the newest version; undefined: every call falls into this variant. */
  readonly draw: RolloutDraw | undefined;
  /** Whether it is the newest version, for the calls in the rollout, or the one for the rest. */
  readonly inRollout: boolean;
}

/** Nobody's policy, one policy, or the variants of which the request id decides. */
type Answer = Policy | null | readonly Variant[];

type ByCapability = Map<string, Answer>;
type ByCaller = Map<string, ByCapability>;

/** Answers kept at most; when full, all are dropped, because finding them again is cheap. */
const MAX_REMEMBERED = 20_000;
const NOBODY = '*';

/**
 * The policies of one namespace. Asked on the path of every call, so what matches is remembered, by what the policies
 * look at, in maps within maps: that needs no text put together for a key.
 */
export class NamespacePolicies {
  readonly #variants: readonly Variant[];
  readonly #looksAtCaller: boolean;
  readonly #looksAtTags: boolean;
  readonly #untagged: ByCaller = new Map();
  /** By the list itself, since a capability keeps its list of tags. */
  #byTagList = new WeakMap<readonly string[], ByCaller>();
  /** By what the lists say, so that equal ones share their answers. */
  readonly #byTags = new Map<string, ByCaller>();
  #remembered = 0;

  constructor(policies: readonly Policy[]) {
    this.#variants = policies.flatMap(variantsOf).sort((a, b) => narrowestFirst(a.policy, b.policy));
    this.#looksAtCaller = this.#variants.some(({ policy }) => policy.content.match.caller !== '*');
    this.#looksAtTags = this.#variants.some(({ policy }) => policy.content.match.tags.length > 0);
  }

  /** Whether any of the policies is only for capabilities with certain tags. */
  get looksAtTags(): boolean {
    return this.#looksAtTags;
  }

  find(capability: string, tags: readonly string[], caller: CallerRef, requestId: string): Policy | undefined {
    const byCaller = this.#looksAtTags && tags.length > 0 ? this.#tagged(tags) : this.#untagged;
    const who = this.#looksAtCaller ? caller : NOBODY;
    let answer = byCaller.get(who)?.get(capability);
    if (answer === undefined) {
      answer = this.#match(capability, tags, caller);
      this.#remember(tags, who, capability, answer);
    }
    if (answer === null) return undefined;
    return isList(answer) ? pick(answer, requestId) : answer;
  }

  #match(capability: string, tags: readonly string[], caller: CallerRef): Answer {
    const matching = this.#variants.filter(({ policy }) => concerns(policy.content.match, capability, tags, caller));
    const first = matching[0];
    if (first === undefined) return null;
    return first.draw === undefined ? first.policy : matching;
  }

  #remember(tags: readonly string[], who: string, capability: string, answer: Answer): void {
    if (this.#remembered >= MAX_REMEMBERED) {
      this.#untagged.clear();
      this.#byTags.clear();
      this.#byTagList = new WeakMap();
      this.#remembered = 0;
    }
    const byCaller = this.#looksAtTags && tags.length > 0 ? this.#tagged(tags) : this.#untagged;
    let byCapability = byCaller.get(who);
    if (byCapability === undefined) {
      byCapability = new Map();
      byCaller.set(who, byCapability);
    }
    byCapability.set(capability, answer);
    this.#remembered++;
  }

  #tagged(tags: readonly string[]): ByCaller {
    let known = this.#byTagList.get(tags);
    if (known === undefined) {
      const text = JSON.stringify(tags);
      known = this.#byTags.get(text) ?? new Map();
      this.#byTags.set(text, known);
      this.#byTagList.set(tags, known);
    }
    return known;
  }
}

function variantsOf(policy: Policy): readonly Variant[] {
  const rest = stableVersion(policy);
  if (rest === undefined) return [{ policy, draw: undefined, inRollout: true }];
  const draw = new RolloutDraw(policy);
  return [
    { policy, draw, inRollout: true },
    { policy: rest, draw, inRollout: false },
  ];
}

function isList(answer: Policy | readonly Variant[]): answer is readonly Variant[] {
  return Array.isArray(answer);
}

/** The first variant that the request falls into. A policy's two variants mostly stand together, and draw once. */
function pick(variants: readonly Variant[], requestId: string): Policy | undefined {
  let drawn: RolloutDraw | undefined;
  let isIn = false;
  for (const { policy, draw, inRollout } of variants) {
    if (draw === undefined) return policy;
    if (draw !== drawn) {
      drawn = draw;
      isIn = draw.includes(requestId);
    }
    if (isIn === inRollout) return policy;
  }
  return undefined;
}
