import type { UrlState } from '@/ui/url-state';
import { TASK_STATES, type TaskFilter } from './tasks.operations';

/** The filter that the address holds; what it holds that nobody knows is left out. */
export function readTaskFilter(url: Pick<UrlState, 'get' | 'list'>): TaskFilter {
  const states = TASK_STATES.filter((state) => url.list('state').includes(state));
  const caller = url.get('caller');
  const agent = url.get('agent');
  const capability = url.get('capability');
  const requestId = url.get('request');
  return {
    ...(states.length === 0 ? {} : { states }),
    ...(caller === undefined ? {} : { caller }),
    ...(agent === undefined ? {} : { agent }),
    ...(capability === undefined ? {} : { capability }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

/** Removes every filter, and the page with it. */
export const NO_TASK_FILTER = {
  state: null,
  caller: null,
  agent: null,
  capability: null,
  request: null,
  after: null,
  before: null,
};
