'use client';

import { useDebouncedValue } from '@mantine/hooks';
import { operation } from '@/graphql/operation';
import { useQuery } from '@/graphql/use-query';

const WAIT_MS = 200;
const SHOWN = 20;

const SEARCH_AGENTS = operation<
  { agents: { readonly nodes: readonly { readonly ref: string }[] } },
  { filter: { readonly search?: string }; first: number }
>(`
  query SearchAgents($filter: AgentFilter, $first: Int) { agents(filter: $filter, first: $first) { nodes { ref } } }
`);

/** Agents whose name holds a text, of every namespace that the viewer may see: the server searches, lists can be long. */
export function useAgentSearch(text: string): readonly string[] {
  const [search] = useDebouncedValue(text.trim(), WAIT_MS);
  const { data } = useQuery(SEARCH_AGENTS, { filter: search === '' ? {} : { search }, first: SHOWN });
  return data?.agents.nodes.map(({ ref }) => ref) ?? [];
}
