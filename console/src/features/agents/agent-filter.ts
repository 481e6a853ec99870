import type { AgentKind, Health } from '@/graphql/types';
import type { UrlState } from '@/ui/url-state';
import type { AgentFilter } from './agents.operations';

const HEALTHS: readonly Health[] = ['HEALTHY', 'DEGRADED', 'OFFLINE', 'UNKNOWN'];
const KINDS: readonly AgentKind[] = ['AGENT', 'TOOL', 'API', 'DATASOURCE'];

/** The filter that the address holds; what it holds that nobody knows is left out. */
export function readAgentFilter(url: Pick<UrlState, 'get' | 'list'>): AgentFilter {
  const health = HEALTHS.filter((value) => url.list('health').includes(value));
  const kind = KINDS.find((value) => value === url.get('kind'));
  const search = url.get('q');
  const type = url.get('type');
  const capability = url.get('capability');
  return {
    ...(search === undefined ? {} : { search }),
    ...(health.length === 0 ? {} : { health }),
    ...(kind === undefined ? {} : { kind }),
    ...(type === undefined ? {} : { type }),
    ...(capability === undefined ? {} : { capability }),
  };
}

/** Removes every filter, and the page with it. */
export const NO_AGENT_FILTER = {
  q: null,
  health: null,
  kind: null,
  type: null,
  capability: null,
  after: null,
  before: null,
};
