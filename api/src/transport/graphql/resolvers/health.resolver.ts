import type { AgentRef, HealthStreamEvent } from '@agent-reach/sdk/protocol';
import { Arg, Resolver, Root, Subscription } from 'type-graphql';
import { demand } from '../../../governance/access/actions.js';
import { inScope } from '../../../governance/access/principal.js';
import { scopeFor } from '../access.js';
import type { GraphqlContext } from '../context.js';
import type { StreamEventKindEnum } from '../types/enums.types.js';
import { HealthEventType, HealthFilterInput } from '../types/health.types.js';

const KINDS = {
  Snapshot: 'SNAPSHOT',
  Change: 'CHANGE',
  Checkpoint: 'CHECKPOINT',
  Resync: 'RESYNC',
} as const satisfies Record<HealthStreamEvent['kind'], keyof typeof StreamEventKindEnum>;

interface HealthArgs {
  readonly after?: string | null;
  readonly filter?: HealthFilterInput | null;
}

@Resolver()
export class HealthResolver {
  @Subscription(() => HealthEventType, {
    description:
      'State of instances as it changes. Without `after` it begins with a snapshot; a slow reader gets the newest state of each instance instead of every step.',
    subscribe: ({ args, context }) => {
      const { after, filter } = args as HealthArgs;
      const { principal, streams } = context as GraphqlContext;
      if (filter?.namespace != null) demand(principal, 'agents.read', filter.namespace);
      const scope = scopeFor(principal, 'agents.read');
      return streams.health.open({
        after: after ?? undefined,
        filter: {
          ...(filter?.namespace == null ? {} : { namespace: filter.namespace }),
          ...(filter?.agent == null ? {} : { agent: filter.agent as AgentRef }),
          ...(filter?.capability == null ? {} : { capability: filter.capability }),
        },
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
      kind: KINDS[event.kind],
      position: event.position,
      instances: event.kind === 'Snapshot' ? event.instances : event.kind === 'Change' ? [event.instance] : [],
      reason: event.kind === 'Resync' ? event.reason : null,
    };
  }
}
