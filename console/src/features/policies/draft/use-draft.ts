'use client';

import type { PolicyFieldChange } from '@agent-reach/sdk/decide';
import { useMemo, useState } from 'react';
import { type DraftParts, partChanges } from './draft-parts';
import { readJson, writeJson } from './json-text';
import { checkDraft, type DraftCheck, type PolicyDraft } from './policy-draft';

export interface Draft extends DraftParts {
  /** The JSON side, as typed. */
  readonly text: string;
  /** Why the text can't be read; `content` is then what it last said. */
  readonly textFault: string | undefined;
  readonly check: DraftCheck;
  /** What differs from what is saved: leaf paths, name and tests among them. */
  readonly changes: readonly PolicyFieldChange[];
  readonly setName: (name: string) => void;
  /** The form's way in: rewrites the text. */
  readonly setContent: (content: PolicyDraft) => void;
  /** The JSON side's way in: the form follows as soon as it can be read. */
  readonly setText: (text: string) => void;
  readonly setTests: (tests: readonly unknown[]) => void;
  /** Forgets what was edited. */
  readonly reset: (parts: DraftParts) => void;
}

/** A policy while it is edited, as a form and as JSON at once. `base` is what is saved, `start` what editing begins with. */
export function useDraft(base: DraftParts, start: () => DraftParts): Draft {
  const [state, setState] = useState(() => stateOf(start()));
  const check = useMemo(() => checkDraft(state.content), [state.content]);
  const changes = useMemo(
    () => partChanges(base, { ...state, content: { ...(check.content ?? state.content) } }),
    [base, state, check.content],
  );
  return {
    ...state,
    check,
    changes,
    setName: (name) => setState((old) => ({ ...old, name })),
    setContent: (content) => setState((old) => ({ ...old, ...bothSides(content) })),
    setText: (text) =>
      setState((old) => {
        const { value, fault } = readJson(text);
        return { ...old, text, textFault: fault, content: value ?? old.content };
      }),
    setTests: (tests) => setState((old) => ({ ...old, tests })),
    reset: (parts) => setState(stateOf(parts)),
  };
}

const stateOf = (parts: DraftParts) => ({ name: parts.name, tests: parts.tests, ...bothSides(parts.content) });

const bothSides = (content: PolicyDraft) => ({
  content,
  text: writeJson(content),
  textFault: undefined as string | undefined,
});
