import type { AgentRef } from '@agent-reach/sdk/protocol';
import { Arg, Resolver, Root, Subscription } from 'type-graphql';
import { demand } from '../../../governance/access/actions.js';
import { inScope } from '../../../governance/access/principal.js';
import type { RegistryEvent } from '../../../perceive/registered-agent.js';
import { scopeFor } from '../access.js';
import type { GraphqlContext } from '../context.js';
import { RegistryEventType, RegistryFilterInput } from '../types/registry.types.js';
import { STREAM_KINDS } from './stream-kinds.js';

interface RegistryArgs {
  readonly after?: string | null;
  readonly filter?: RegistryFilterInput | null;
}

@Resolver()
export class RegistryResolver {
  @Subscription(() => RegistryEventType, {
    description:
      'What is registered, as it changes: agents, their versions and capabilities come, change and go. Without `after` it begins with a snapshot; a slow reader gets the newest state of each agent. Whether an agent can be reached is told by `healthChanges`.',
    subscribe: ({ args, context }) => {
      const { after, filter } = args as RegistryArgs;
      const { principal, streams } = context as GraphqlContext;
      if (filter?.namespace != null) demand(principal, 'agents.read', filter.namespace);
      const scope = scopeFor(principal, 'agents.read');
      return streams.registered.open({
        after: after ?? undefined,
        filter: {
          namespace: filter?.namespace ?? undefined,
          agent: (filter?.agent ?? undefined) as AgentRef | undefined,
          type: filter?.type ?? undefined,
          capability: filter?.capability ?? undefined,
        },
        visible: (namespace) => inScope(scope, namespace),
      });
    },
  })
  registryChanges(
    @Root() event: RegistryEvent,
    @Arg('after', () => String, { nullable: true, description: 'Position after which to go on.' }) _after?: string,
    @Arg('filter', () => RegistryFilterInput, { nullable: true, description: 'Which agents.' })
    _filter?: RegistryFilterInput,
  ): RegistryEventType {
    return {
      kind: STREAM_KINDS[event.kind],
      position: event.position,
      agents: event.kind === 'Snapshot' ? event.agents : event.kind === 'Change' ? [event.agent] : [],
      reason: event.kind === 'Resync' ? event.reason : null,
    };
  }
}
