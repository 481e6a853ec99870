import type { PolicyDraftInput } from './draft.operations';
import type { Draft } from './use-draft';

/** Which policy a draft would replace, or the namespace in which it would be new. */
export interface DraftPlace {
  readonly namespace: string;
  readonly id: string | undefined;
}

/** The draft as the API takes it, without its tests; undefined while it can't be read or is not valid. */
export function draftInput({ namespace, id }: DraftPlace, draft: Draft): PolicyDraftInput | undefined {
  const { content } = draft.check;
  if (content === undefined || draft.textFault !== undefined) return undefined;
  const name = draft.name.trim();
  return {
    namespace,
    content,
    ...(id === undefined ? {} : { id }),
    ...(name === '' ? {} : { name }),
  };
}
