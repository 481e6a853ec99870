import type { UrlState } from '@/ui/url-state';
import type { TopologyFilter } from './topology.operations';

/** How far to look back. */
export const WINDOWS = [
  { minutes: 1, label: '1 min' },
  { minutes: 5, label: '5 min' },
  { minutes: 15, label: '15 min' },
  { minutes: 60, label: '1 h' },
] as const;

export const DEFAULT_WINDOW = 5;

/** The window that the address names, in minutes; the usual one when it names none that there is. */
export function readWindow(url: Pick<UrlState, 'get'>): number {
  const named = url.get('window');
  return WINDOWS.find(({ minutes }) => String(minutes) === named)?.minutes ?? DEFAULT_WINDOW;
}

/** The filter that the address holds; an agent may be written without its `agent:`. */
export function readTopologyFilter(url: Pick<UrlState, 'get'>): TopologyFilter {
  const node = url.get('node');
  const capability = url.get('capability');
  return {
    ...(node === undefined ? {} : { node: node.includes(':') ? node : `agent:${node}` }),
    ...(capability === undefined ? {} : { capability }),
  };
}

export const NO_TOPOLOGY_FILTER = { node: null, capability: null, failing: null };
