import {
  type AgentRef,
  optional,
  pattern,
  ReachError,
  shapeFaults,
  TASK_ENDS,
  type TaskState,
  text,
} from '@agent-reach/sdk/protocol';
import { type Request, type Response, Router } from 'express';
import { type TaskDesk, type TaskListFilter, type TaskReader, taskKey } from '../../execute/tasks/task-desk.js';
import type { Registry } from '../../perceive/registry.js';
import { callerContext } from '../caller-context.js';
import { connection, pageRequest } from '../graphql/paging.js';
import { type AuthenticatedDeps, authenticated, principalOf } from './authenticated.js';
import { type RefusalDeps, recordingRefusals } from './recorded-refusals.js';

export interface TaskRoutesDeps extends AuthenticatedDeps, RefusalDeps {
  readonly tasks: Pick<TaskDesk, 'get' | 'page' | 'cancel'>;
  readonly registry: Registry;
}

const LIST = 'tasks';
const STATES: readonly TaskState[] = ['ACCEPTED', 'RUNNING', ...TASK_ENDS];
const one = optional(text(1, 200));
const size = optional(pattern(/^(?:[1-9]\d?|1\d\d|200)$/, '1 to 200'));
/** What the address of the list may ask; everything in an address is text. */
const QUERY = {
  state: one,
  agent: one,
  capability: one,
  requestId: one,
  first: size,
  after: one,
  last: size,
  before: one,
} as const;
type Query = { readonly [Field in keyof typeof QUERY]?: string };

/**
 * The tasks of whoever brings the token, for callers without a socket: `GET /v1/tasks/:id`, `GET /v1/tasks?…` newest
 * first, `POST /v1/tasks/:id/cancel`. The tasks of others answer NOT_FOUND like those that never were.
 */
export function taskRoutes(deps: TaskRoutesDeps): Router {
  const router = Router();
  const { tasks } = deps;
  router.use('/v1/tasks', authenticated(deps));

  router.get('/v1/tasks', async (request, response) => {
    const { filter, page } = recordingRefusals(deps, principalOf(response), '/v1/tasks', () => askedBy(request));
    const found = connection(LIST, await tasks.page(readerOf(response), filter, page), taskKey, (task) => task);
    response.json({ tasks: found.nodes, pageInfo: found.pageInfo });
  });

  router.get('/v1/tasks/:id', async (request, response) => {
    response.json(await tasks.get(request.params.id, readerOf(response)));
  });

  router.post('/v1/tasks/:id/cancel', async (request, response) => {
    response.json(await tasks.cancel(request.params.id, readerOf(response), principalOf(response).caller));
  });

  function readerOf(response: Response): TaskReader {
    return { kind: 'CALLER', caller: callerContext(principalOf(response), deps.registry).caller };
  }
  return router;
}

/** Which of the tasks an address asks for. Throws INVALID_INPUT. */
function askedBy({ query }: Request) {
  const fields = shapeFaults(query, QUERY);
  const { state, agent, capability, requestId, first, after, last, before } = query as Query;
  const states = typeof state === 'string' ? state.split(',') : undefined;
  for (const each of states ?? []) {
    if (STATES.some((known) => known === each)) continue;
    fields.push({ path: 'state', got: JSON.stringify(each.slice(0, 40)), allowed: STATES.join(', ') });
  }
  const [fault] = fields;
  if (fault !== undefined) {
    throw new ReachError('INVALID_INPUT', `${fault.path}: got ${fault.got}, allowed: ${fault.allowed}.`, { fields });
  }
  const filter: TaskListFilter = {
    states: states as readonly TaskState[] | undefined,
    agent: agent as AgentRef | undefined,
    capability,
    requestId,
  };
  const number = (digits: string | undefined) => (digits === undefined ? null : Number(digits));
  return {
    filter,
    page: pageRequest(LIST, {
      first: number(first),
      after: after ?? null,
      last: number(last),
      before: before ?? null,
    }),
  };
}
