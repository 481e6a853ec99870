import { operation } from '@/graphql/operation';

export interface ExplainInput {
  readonly caller: string;
  readonly target: {
    readonly namespace?: string;
    readonly agent?: string;
    readonly type?: string;
    readonly capability?: string;
  };
  readonly affinityKey?: string;
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
  readonly stages: readonly { readonly stage: string; readonly entered: number; readonly kept: number }[];
  readonly candidates: readonly Candidate[];
}

export const EXPLAIN_ROUTE = operation<{ explainRoute: RouteExplanation }, { input: ExplainInput }>(`
  query ExplainRoute($input: ExplainRouteInput!) {
    explainRoute(input: $input) {
      outcome chosen message
      policy { id name version strategy }
      stages { stage entered kept }
      candidates { instance kept stage reason score parts }
    }
  }
`);
