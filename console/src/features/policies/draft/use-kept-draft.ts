'use client';

import { useEffect, useState } from 'react';
import { useShell } from '@/features/shell/shell-context';
import type { DraftParts } from './draft-parts';
import { keepDraft, keptDraft } from './draft-storage';
import { type Draft, useDraft } from './use-draft';

/**
 * A draft that the tab keeps: what was edited is still there after a reload or a look at another page, on top of what is
 * saved by then. `policy`: its id, or another word for a new one.
 */
export function useKeptDraft(policy: string, base: DraftParts): { readonly draft: Draft; readonly wasKept: boolean } {
  const owner = useShell().viewer.caller;
  const [kept] = useState(() => keptDraft(window.sessionStorage, owner, policy, base));
  const draft = useDraft(base, () => kept ?? base);
  const { name, content, tests, changes } = draft;
  useEffect(() => {
    const mine = changes.length === 0 ? undefined : { name, content, tests };
    keepDraft(window.sessionStorage, owner, policy, base, mine);
  }, [owner, policy, base, name, content, tests, changes]);
  return { draft, wasKept: kept !== undefined };
}
