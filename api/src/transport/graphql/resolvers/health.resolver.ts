import type { AgentRef, HealthFilter, HealthStreamEvent } from '@agent-reach/sdk/protocol';
import { Arg, Resolver, Root, Subscription } from 'type-graphql';
import { demand } from '../../../governance/access/actions.js';
import { inScope } from '../../../governance/access/principal.js';
import { invalid, scopeFor } from '../access.js';
import type { GraphqlContext } from '../context.js';
import { HealthEventType, HealthFilterInput } from '../types/health.types.js';
import { STREAM_KINDS } from './stream-kinds.js';

interface HealthArgs {
  readonly after?: string | null;
  readonly filter?: HealthFilterInput | null;
}

@Resolver()
export class HealthResolver {
  @Subscription(() => HealthEventType, {
    description:
      'State of instances as it changes. Without `after` it begins with a snapshot; a slow reader gets the newest state of each instance instead of every step. An instance that you had and that no longer matches the filter is told once more, so that you can take it out.',
    subscribe: ({ args, context }) => {
      const { after, filter } = args as HealthArgs;
      const { principal, streams } = context as GraphqlContext;
      if (filter?.namespace != null) demand(principal, 'agents.read', filter.namespace);
      const scope = scopeFor(principal, 'agents.read');
      return streams.health.open({
        after: after ?? undefined,
        filter: healthFilter(filter ?? {}),
        visible: (namespace) => inScope(scope, namespace),
      });
    },
  })
  healthChanges(
    @Root() event: HealthStreamEvent,
    @Arg('after', () => String, { nullable: true, description: 'Position after which to go on.' }) _after?: string,
    @Arg('filter', () => HealthFilterInput, { nullable: true, description: 'Which instances.' })
    _filter?: HealthFilterInput,
  ): HealthEventType {
    return {
      kind: STREAM_KINDS[event.kind],
      position: event.position,
      instances: event.kind === 'Snapshot' ? event.instances : event.kind === 'Change' ? [event.instance] : [],
      reason: event.kind === 'Resync' ? event.reason : null,
    };
  }
}

function healthFilter({ namespace, agent, capability, lifecycle, health }: HealthFilterInput): HealthFilter {
  for (const [field, states] of Object.entries({ lifecycle, health })) {
    if (states?.length === 0) invalid(`filter.${field}`, 'an empty list', 'one state or more; leave it out for all');
  }
  return {
    ...(namespace == null ? {} : { namespace }),
    ...(agent == null ? {} : { agent: agent as AgentRef }),
    ...(capability == null ? {} : { capability }),
    ...(lifecycle == null ? {} : { lifecycle }),
    ...(health == null ? {} : { health }),
  };
}
