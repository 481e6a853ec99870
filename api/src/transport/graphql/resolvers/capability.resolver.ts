import {
  FIND_FIELDS,
  type FoundCapability,
  namespaceOfCaller,
  ReachError,
  shapeFaults,
  WIRE_LIMITS,
} from '@agent-reach/sdk/protocol';
import { Arg, Args, Ctx, Int, Query, Resolver } from 'type-graphql';
import { demand } from '../../../governance/access/actions.js';
import { inScope, type Principal } from '../../../governance/access/principal.js';
import { pageInMemory } from '../../../governance/page.js';
import { demandList, invalid } from '../access.js';
import { callerOf, rolesOfCaller } from '../callers.js';
import { type Connection, ConnectionArgs } from '../connection.js';
import type { GraphqlContext } from '../context.js';
import { connection, pageRequest } from '../paging.js';
import type { GraphqlServices } from '../services.js';
import {
  CapabilityConnection,
  CapabilityFilter,
  CapabilityMatchType,
  CapabilityType,
} from '../types/capabilities.types.js';
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

  @Query(() => [CapabilityMatchType], {
    description:
      'What live agents can do that fits a text, best first: by name, aliases, description, tags and the words of the schemas, in English and Chinese; typing errors are forgiven.',
  })
  findCapabilities(
    @Ctx() { principal }: GraphqlContext,
    @Arg('text', () => String, { description: 'What is needed, in words: 1 to 500 characters.' }) text: string,
    @Arg('namespace', () => String, {
      nullable: true,
      description: "Only of this namespace; default: the caller's own, or all that the principal may see.",
    })
    namespace?: string | null,
    @Arg('caller', () => String, {
      nullable: true,
      description:
        'Only what this caller may call, such as `agent:shop/orders`; without it everything that the principal may see.',
    })
    caller?: string | null,
    @Arg('first', () => Int, { defaultValue: WIRE_LIMITS.defaultFound, description: 'At most so many: 1 to 50.' })
    first: number = WIRE_LIMITS.defaultFound,
  ): CapabilityMatchType[] {
    const fields = shapeFaults({ text, first }, { text: FIND_FIELDS.text, first: FIND_FIELDS.limit });
    if (fields.length > 0) throw new ReachError('INVALID_INPUT', 'This cannot be looked for.', { fields });
    const { lookup } = this.services.registry;
    if (caller != null) return this.#findAs(principal, caller, namespace, text, first).map(matchNode);
    const scope = demandList(principal, 'agents.read', namespace);
    return lookup.search(text, (each) => inScope(scope, each), first).map(matchNode);
  }

  #findAs(
    principal: Principal,
    who: string,
    where: string | null | undefined,
    text: string,
    first: number,
  ): readonly FoundCapability[] {
    const { registry } = this.services;
    const caller = callerOf(who, 'caller');
    const namespace = where ?? namespaceOfCaller(caller);
    if (namespace === undefined) invalid('namespace', 'nothing', 'a namespace: this caller has none');
    demand(principal, 'routes.explain', namespace);
    return registry.lookup.find(text, { caller, roles: rolesOfCaller(principal, caller, registry) }, namespace, first);
  }
}

function matchNode({ inputSchema, ...found }: FoundCapability): CapabilityMatchType {
  return { ...found, inputSchema: inputSchema ?? null };
}

function concerns(capability: CapabilityType, filter: CapabilityFilter | null | undefined): boolean {
  const { name, aliases, tags, description } = capability;
  return (
    contains(filter?.search, name, ...aliases, ...tags, description) &&
    (filter?.tags ?? []).every((tag) => tags.includes(tag))
  );
}
