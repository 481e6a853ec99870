import {
  type AgentRef,
  type CallerRef,
  ReachError,
  type TaskStreamEvent,
  type TaskView,
} from '@agent-reach/sdk/protocol';
import { Arg, Args, Ctx, ID, Mutation, Query, Resolver, Root, Subscription } from 'type-graphql';
import { type TaskReader, taskKey } from '../../../execute/tasks/task-desk.js';
import { demand } from '../../../governance/access/actions.js';
import type { Principal, Scope } from '../../../governance/access/principal.js';
import { demandList, demandThing, scopeFor } from '../access.js';
import { type Connection, ConnectionArgs } from '../connection.js';
import type { GraphqlContext } from '../context.js';
import { connection, pageRequest } from '../paging.js';
import type { GraphqlServices } from '../services.js';
import { callErrorNode } from '../types/errors.types.js';
import {
  TaskConnection,
  TaskEventType,
  TaskFilterInput,
  TaskStreamFilterInput,
  TaskType,
} from '../types/tasks.types.js';
import { STREAM_KINDS } from './stream-kinds.js';

const LIST = 'tasks';

interface UpdatesArgs {
  readonly after?: string | null;
  readonly filter?: TaskStreamFilterInput | null;
}

@Resolver(() => TaskType)
export class TaskResolver {
  constructor(private readonly services: Pick<GraphqlServices, 'tasks'>) {}

  @Query(() => TaskConnection, { description: 'Tasks, newest first, those that ended in the last 24 h included.' })
  async tasks(
    @Ctx() { principal }: GraphqlContext,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Arg('namespace', () => String, { nullable: true, description: 'Only of this namespace.' })
    namespace?: string | null,
    @Arg('filter', () => TaskFilterInput, { nullable: true, description: 'Which tasks.' })
    filter?: TaskFilterInput | null,
  ): Promise<Connection<TaskType>> {
    const reader = readerOf(principal, demandList(principal, 'tasks.read', namespace));
    const request = pageRequest(LIST, args);
    const page = await this.services.tasks.page(
      reader,
      {
        states: filter?.states ?? undefined,
        caller: (filter?.caller ?? undefined) as CallerRef | undefined,
        agent: (filter?.agent ?? undefined) as AgentRef | undefined,
        capability: filter?.capability ?? undefined,
        requestId: filter?.requestId ?? undefined,
      },
      request,
    );
    return connection(LIST, page, taskKey, taskNode);
  }

  @Query(() => TaskType, { nullable: true, description: 'One task; null when there is none.' })
  async task(
    @Ctx() { principal }: GraphqlContext,
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
  ): Promise<TaskType | null> {
    const task = await this.#find(principal, id);
    return task === undefined ? null : taskNode(task);
  }

  @Mutation(() => TaskType, {
    description:
      'Ends a task as CANCELLED and asks its instance to stop; one that had ended stays as it is. Needs OPERATOR.',
  })
  async cancelTask(
    @Ctx() { principal }: GraphqlContext,
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
  ): Promise<TaskType> {
    const task = await this.#find(principal, id);
    demandThing(principal, 'tasks.cancel', task?.namespace, 'task', id);
    return taskNode(await this.services.tasks.cancel(id, readerOf(principal), principal.caller));
  }

  @Subscription(() => TaskEventType, {
    description:
      'Tasks as they go on. Without `after` it begins with a snapshot of those that are open; a slow reader gets the newest state of each task instead of every step.',
    subscribe: ({ args, context }) => {
      const { after, filter } = args as UpdatesArgs;
      const { principal, streams } = context as GraphqlContext;
      if (filter?.namespace != null) demand(principal, 'tasks.read', filter.namespace);
      return streams.tasks.open({
        after: after ?? undefined,
        filter: {
          ...(filter?.namespace == null ? {} : { namespace: filter.namespace }),
          ...(filter?.agent == null ? {} : { agent: filter.agent as AgentRef }),
          ...(filter?.capability == null ? {} : { capability: filter.capability }),
          ...(filter?.taskId == null ? {} : { taskId: filter.taskId }),
        },
        reader: readerOf(principal),
      });
    },
  })
  taskUpdates(
    @Root() event: TaskStreamEvent,
    @Arg('after', () => String, { nullable: true, description: 'Position after which to go on.' }) _after?: string,
    @Arg('filter', () => TaskStreamFilterInput, { nullable: true, description: 'Which tasks.' })
    _filter?: TaskStreamFilterInput,
  ): TaskEventType {
    const tasks = event.kind === 'Snapshot' ? event.tasks : event.kind === 'Change' ? [event.task] : [];
    return {
      kind: STREAM_KINDS[event.kind],
      position: event.position,
      tasks: tasks.map(taskNode),
      reason: event.kind === 'Resync' ? event.reason : null,
    };
  }

  async #find(principal: Principal, id: string): Promise<TaskView | undefined> {
    try {
      return await this.services.tasks.get(id, readerOf(principal));
    } catch (error) {
      if (error instanceof ReachError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    }
  }
}

/** Tasks of the namespaces that the principal may read, or of `scope`; their contents where it may see those, too. */
function readerOf(principal: Principal, scope: Scope = scopeFor(principal, 'tasks.read')): TaskReader {
  return { kind: 'PEOPLE', scope, contents: scopeFor(principal, 'tasks.contents') };
}

function taskNode({ progress, result, error, ...task }: TaskView): TaskType {
  return {
    ...task,
    progress: progress ?? null,
    result: result ?? null,
    error: error === undefined ? null : callErrorNode(error),
  };
}
