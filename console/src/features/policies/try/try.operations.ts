import { EXPLANATION_FIELDS, type ExplainInput, type RouteExplanation } from '@/features/explain/explain.operations';
import { operation } from '@/graphql/operation';
import type { PolicyDraftInput } from '../draft/draft.operations';

/** The same call under the draft and as things stand. */
export const TRY_DRAFT = operation<
  { readonly draft: RouteExplanation; readonly saved: RouteExplanation },
  { input: ExplainInput; draft: PolicyDraftInput }
>(`
  query TryDraft($input: ExplainRouteInput!, $draft: PolicyDraftInput!) {
    draft: explainRoute(input: $input, draft: $draft) { ${EXPLANATION_FIELDS} }
    saved: explainRoute(input: $input) { ${EXPLANATION_FIELDS} }
  }
`);

/** Calls that would go elsewhere, by where from and where to; null: nobody would get them. */
export interface DraftMove {
  readonly from: string | null;
  readonly fromInstance: string | null;
  readonly fromOutcome: string;
  readonly to: string | null;
  readonly toInstance: string | null;
  readonly toOutcome: string;
  readonly calls: number;
}

export interface DraftReplay {
  readonly recorded: number;
  /** One of so many calls is recorded. */
  readonly recordedEvery: number;
  /** Of the recorded ones, those that were decided anew. */
  readonly replayed: number;
  /** Of those, the ones that the draft is for, or that the saved policy was for. */
  readonly concerned: number;
  readonly moved: number;
  /** Neither concerned nor moved: it can't be told. */
  readonly unknown: number;
  /** When the oldest of them was made. */
  readonly since: string | null;
  readonly moves: readonly DraftMove[];
  /** Moved calls of ways that are not listed. */
  readonly movesLeftOut: number;
  readonly unknownReasons: readonly { readonly reason: string; readonly calls: number }[];
}

export const REPLAY_DRAFT = operation<{ replayDraft: DraftReplay }, { draft: PolicyDraftInput }>(`
  query ReplayDraft($draft: PolicyDraftInput!) {
    replayDraft(draft: $draft) {
      recorded recordedEvery replayed concerned moved unknown since movesLeftOut
      moves { from fromInstance fromOutcome to toInstance toOutcome calls }
      unknownReasons { reason calls }
    }
  }
`);
