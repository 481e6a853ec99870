'use client';

import { useDebouncedValue } from '@mantine/hooks';
import { useMemo } from 'react';
import type { RequestFailure } from '@/graphql/failure';
import { useQuery } from '@/graphql/use-query';
import { CHECK_POLICY, type PolicyCheck, type PolicyDraftInput } from './draft.operations';

const WAIT_MS = 300;

export interface ServerCheck {
  /** The server's word on the draft as it stands now; undefined while it is asked. */
  readonly check: PolicyCheck | undefined;
  /** The newest answer, perhaps to an older draft: better than nothing to look at while typing. */
  readonly last: PolicyCheck | undefined;
  /** Why it could not be asked. */
  readonly failure: RequestFailure | undefined;
}

/**
 * What only the server knows of a draft: agents that don't exist, policies that shadow each other, a name that is taken.
 * Asked a third of a second after the last key; undefined: there is nothing to ask about.
 */
export function useServerCheck(draft: PolicyDraftInput | undefined): ServerCheck {
  // As text: the draft is another object at each rendering, and a debounce that restarts each time would never end.
  const text = draft === undefined ? undefined : JSON.stringify(draft);
  const [asked] = useDebouncedValue(text, WAIT_MS);
  const input = useMemo(() => (asked === undefined ? NOTHING : (JSON.parse(asked) as PolicyDraftInput)), [asked]);
  const { data, outdated, failure } = useQuery(CHECK_POLICY, { draft: input }, { skip: asked === undefined });
  const current = asked !== undefined && asked === text && !outdated && failure === undefined;
  return {
    check: current ? data?.checkPolicy : undefined,
    last: asked === undefined ? undefined : data?.checkPolicy,
    failure: asked === undefined || outdated ? undefined : failure,
  };
}

const NOTHING: PolicyDraftInput = { namespace: '', content: {} };
