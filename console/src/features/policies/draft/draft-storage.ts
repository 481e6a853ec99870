import { type DraftParts, rebaseParts } from './draft-parts';

/** Where a tab keeps drafts, so that neither a reload nor a look at another page costs one. */
type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

interface Kept {
  readonly base: DraftParts;
  readonly mine: DraftParts;
}

const keyOf = (owner: string, policy: string): string => `reach.draft ${owner} ${policy}`;

/** Keeps what was edited of `base`; forgets it when nothing is. */
export function keepDraft(store: Store, owner: string, policy: string, base: DraftParts, mine: DraftParts | undefined) {
  try {
    if (mine === undefined) store.removeItem(keyOf(owner, policy));
    else store.setItem(keyOf(owner, policy), JSON.stringify({ base, mine } satisfies Kept));
  } catch {
    // A full or forbidden storage: the draft lives in the page alone then.
  }
}

/** The draft that was kept, on top of what is saved by now; undefined: none was. */
export function keptDraft(store: Store, owner: string, policy: string, base: DraftParts): DraftParts | undefined {
  try {
    const text = store.getItem(keyOf(owner, policy));
    if (text === null) return undefined;
    const kept = JSON.parse(text) as Kept;
    return rebaseParts(kept.base, kept.mine, base);
  } catch {
    return undefined;
  }
}
