import { Arg, Args, Ctx, Query, Resolver } from 'type-graphql';
import { inScope } from '../../../governance/access/principal.js';
import { pageInMemory } from '../../../governance/page.js';
import { demandList } from '../access.js';
import { type Connection, ConnectionArgs } from '../connection.js';
import type { GraphqlContext } from '../context.js';
import { connection, pageRequest } from '../paging.js';
import type { GraphqlServices } from '../services.js';
import { CapabilityConnection, CapabilityFilter, CapabilityType } from '../types/capabilities.types.js';
import { capabilitiesOf, contains } from './registry.mapping.js';

const LIST = 'capabilities';

@Resolver(() => CapabilityType)
export class CapabilityResolver {
  constructor(private readonly services: Pick<GraphqlServices, 'registry'>) {}

  @Query(() => CapabilityConnection, { description: 'What agents can do, by name, then agent and version.' })
  capabilities(
    @Ctx() { principal }: GraphqlContext,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Arg('namespace', () => String, { nullable: true, description: 'Only of this namespace.' })
    namespace?: string | null,
    @Arg('filter', () => CapabilityFilter, { nullable: true, description: 'Which capabilities.' })
    filter?: CapabilityFilter | null,
  ): Connection<CapabilityType> {
    const scope = demandList(principal, 'agents.read', namespace);
    const request = pageRequest(LIST, args);
    const found: CapabilityType[] = [];
    for (const agent of this.services.registry.agents()) {
      if (!inScope(scope, agent.namespace)) continue;
      if (filter?.agent != null && filter.agent !== agent.ref) continue;
      found.push(
        ...capabilitiesOf(agent, this.services.registry.instances(agent.ref)).filter((each) => concerns(each, filter)),
      );
    }
    const keyOf = ({ name, agent, agentVersion }: CapabilityType): readonly string[] => [name, agent, agentVersion];
    return connection(LIST, pageInMemory(found, request, keyOf), keyOf, (node) => node);
  }
}

function concerns(capability: CapabilityType, filter: CapabilityFilter | null | undefined): boolean {
  const { name, aliases, tags, description } = capability;
  return (
    contains(filter?.search, name, ...aliases, ...tags, description) &&
    (filter?.tags ?? []).every((tag) => tags.includes(tag))
  );
}
