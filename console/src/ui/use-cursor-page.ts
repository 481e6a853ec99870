'use client';

import type { PageInfo, PageVariables } from '@/graphql/types';
import { useUrlState } from './url-state';

export interface CursorPage {
  readonly variables: PageVariables;
  readonly isFirst: boolean;
  readonly goNext: (info: PageInfo) => void;
  readonly goPrevious: (info: PageInfo) => void;
  readonly goFirst: () => void;
}

/** Forget the page when a filter changes: cursors belong to one filtered list. */
export const FIRST_PAGE = { after: null, before: null } as const;

/** Which page of a list is shown, kept in the address as `after` or `before`. */
export function useCursorPage(size: number): CursorPage {
  const url = useUrlState();
  const after = url.get('after');
  const before = url.get('before');
  return {
    variables: before === undefined ? { first: size, after: after ?? null } : { last: size, before },
    isFirst: after === undefined && before === undefined,
    goNext: (info) => url.set({ after: info.endCursor, before: null }, { push: true }),
    goPrevious: (info) => url.set({ before: info.startCursor, after: null }, { push: true }),
    goFirst: () => url.set(FIRST_PAGE, { push: true }),
  };
}
