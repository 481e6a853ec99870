import { operation } from '@/graphql/operation';

export interface ExplainInput {
  readonly caller: string;
  readonly target: {
    readonly namespace?: string;
    readonly agent?: string;
    readonly type?: string;
    readonly capability?: string;
    readonly tags?: readonly string[];
    readonly versions?: string;
  };
  readonly affinityKey?: string;
  readonly zone?: string;
  readonly requestId?: string;
}

export interface Candidate {
  readonly instance: string;
  readonly kept: boolean;
  readonly stage: string;
  readonly reason: string;
  readonly score: number | null;
  readonly parts: unknown;
}

export interface RouteExplanation {
  readonly outcome: string;
  readonly chosen: string | null;
  readonly message: string;
  readonly policy: {
    readonly id: string | null;
    readonly name: string;
    readonly version: number;
    readonly strategy: string;
  };
  /** Set while the policy's newest version is for a part of the calls; `policy.version` is the one of this call. */
  readonly rollout: { readonly newest: number; readonly percent: number; readonly stable: number } | null;
  /** The namespace's share for canaries, where it decided into which domain the call falls. */
  readonly canaryPercent: number | null;
  /** To which instance the affinity key is bound once the call is made; null: there is no key, or none is bound. */
  readonly binding: {
    readonly instance: string;
    readonly kind: 'KEPT' | 'NEW' | 'MOVED';
    readonly from: string | null;
  } | null;
  /** What could not be evaluated, in sentences. */
  readonly unknown: readonly string[];
  readonly stages: readonly { readonly stage: string; readonly entered: number; readonly kept: number }[];
  readonly candidates: readonly Candidate[];
}

/** What the console reads of an explanation. */
export const EXPLANATION_FIELDS = `
  outcome chosen message
  policy { id name version strategy }
  rollout { newest percent stable }
  canaryPercent
  binding { instance kind from }
  unknown
  stages { stage entered kept }
  candidates { instance kept stage reason score parts }
`;

export const EXPLAIN_ROUTE = operation<{ explainRoute: RouteExplanation }, { input: ExplainInput }>(`
  query ExplainRoute($input: ExplainRouteInput!) { explainRoute(input: $input) { ${EXPLANATION_FIELDS} } }
`);
