'use client';

import { useMemo } from 'react';
import { useQuery } from '@/graphql/use-query';
import { SUGGESTIONS } from './permissions.operations';

/** Names that exist, to choose from while typing; what isn't among them can be typed as well. */
export function useSuggestions(namespace: string | undefined) {
  const { data } = useQuery(SUGGESTIONS, { namespace: namespace ?? null });
  return useMemo(() => {
    const agents = data?.agents.nodes.map(({ ref }) => ref) ?? [];
    return {
      callers: agents.map((ref) => `agent:${ref}`),
      targets: agents,
      capabilities: [...new Set(data?.capabilities.nodes.map(({ name }) => name) ?? [])].sort(),
    };
  }, [data]);
}

export type Suggestions = ReturnType<typeof useSuggestions>;
