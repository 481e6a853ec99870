'use client';

import { useUrlState } from '@/ui/url-state';
import type { Triple } from './permissions.operations';

/**
 * The rule that is about to be added, held in the address as `add=1` with `caller`, `target` and `capability`: the error
 * of a denied call links here with the missing rule filled in.
 */
export function useNewRule(): {
  readonly draft: Triple | undefined;
  readonly open: (draft: Partial<Triple>) => void;
  readonly close: () => void;
} {
  const url = useUrlState();
  const draft =
    url.get('add') === '1'
      ? { caller: url.get('caller') ?? '', target: url.get('target') ?? '', capability: url.get('capability') ?? '' }
      : undefined;
  return {
    draft,
    open: ({ caller, target, capability }) => url.set({ add: '1', caller, target, capability }),
    close: () => url.set({ add: null, caller: null, target: null, capability: null }),
  };
}
