import { Arg, Args, Ctx, FieldResolver, Int, Mutation, Query, Resolver, Root } from 'type-graphql';
import { demand } from '../../../governance/access/actions.js';
import { inScope } from '../../../governance/access/principal.js';
import { notFound } from '../../../governance/input.js';
import { compareKeys, pageInMemory } from '../../../governance/page.js';
import type { AgentRecord, Domain } from '../../../perceive/model.js';
import { actorOf, demandList, demandRef } from '../access.js';
import { type Connection, ConnectionArgs } from '../connection.js';
import type { GraphqlContext } from '../context.js';
import { connection, pageRequest } from '../paging.js';
import type { GraphqlServices } from '../services.js';
import {
  AgentConnection,
  AgentFilter,
  type AgentOrder,
  AgentOrderEnum,
  AgentPatch,
  AgentType,
  AgentVersionType,
  CreateAgentInput,
} from '../types/agents.types.js';
import { VersionCanaryType } from '../types/canaries.types.js';
import { CapabilityType } from '../types/capabilities.types.js';
import { TokenType } from '../types/credentials.types.js';
import { DomainEnum } from '../types/enums.types.js';
import { InstanceTransitionType, InstanceType } from '../types/instances.types.js';
import {
  agentNode,
  capabilitiesOf,
  capabilityNode,
  contains,
  instanceNode,
  transitionNode,
  versionNode,
} from './registry.mapping.js';

const REF = 'The agent, `namespace/id`.';

@Resolver(() => AgentType)
export class AgentResolver {
  constructor(private readonly services: Pick<GraphqlServices, 'registry' | 'agents' | 'control'>) {}

  @Query(() => AgentConnection, { description: 'Agents, as the routers see them now.' })
  agents(
    @Ctx() { principal }: GraphqlContext,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Arg('namespace', () => String, { nullable: true, description: 'Only of this namespace.' })
    namespace?: string | null,
    @Arg('filter', () => AgentFilter, { nullable: true, description: 'Which agents.' }) filter?: AgentFilter | null,
    @Arg('orderBy', () => AgentOrderEnum, { nullable: true, description: 'In which order; default ID_ASC.' })
    orderBy?: AgentOrder | null,
  ): Connection<AgentType> {
    const scope = demandList(principal, 'agents.read', namespace);
    const order = orderBy ?? 'ID_ASC';
    const list = `agents ${order}`;
    const request = pageRequest(list, args);
    const nodes: AgentType[] = [];
    for (const record of this.services.registry.agents()) {
      if (!inScope(scope, record.namespace) || !concerns(record, filter)) continue;
      const node = this.#node(record);
      if (filter?.health == null || filter.health.includes(node.health)) nodes.push(node);
    }
    const keyOf = (agent: AgentType): readonly string[] =>
      order.startsWith('ID') ? [agent.ref] : [agent.createdAt.toISOString(), agent.ref];
    const page = pageInMemory(nodes, request, keyOf, (a, b) => compareKeys(a, b) * (order.endsWith('ASC') ? 1 : -1));
    return connection(list, page, keyOf, (node) => node);
  }

  @Query(() => AgentType, { nullable: true, description: 'One agent; null when there is none.' })
  agent(
    @Ctx() { principal }: GraphqlContext,
    @Arg('ref', () => String, { description: REF }) ref: string,
  ): AgentType | null {
    const record = this.services.registry.agent(ref as AgentRecord['ref']);
    if (record === undefined || !inScope(principal.scope, record.namespace)) return null;
    demand(principal, 'agents.read', record.namespace);
    return this.#node(record);
  }

  @Mutation(() => AgentType, { description: 'Creates an agent. Needs OPERATOR.' })
  async createAgent(
    @Ctx() { principal }: GraphqlContext,
    @Arg('input', () => CreateAgentInput, { description: 'The new agent.' }) input: CreateAgentInput,
  ): Promise<AgentType> {
    demand(principal, 'agents.write', input.namespace);
    return this.#node(await this.services.agents.create(actorOf(principal), input));
  }

  @Mutation(() => AgentType, { description: 'Changes what operators set for an agent. Needs OPERATOR.' })
  async updateAgent(
    @Ctx() { principal }: GraphqlContext,
    @Arg('ref', () => String, { description: REF }) ref: string,
    @Arg('patch', () => AgentPatch, { description: 'What changes.' }) patch: AgentPatch,
    @Arg('expectedVersion', () => Int, {
      description: 'The version that the change was based on; another one by now is a CONFLICT.',
    })
    expectedVersion: number,
  ): Promise<AgentType> {
    demandRef(principal, 'agents.write', ref, 'agent');
    return this.#node(await this.services.agents.update(actorOf(principal), ref, patch, expectedVersion));
  }

  @Mutation(() => AgentType, {
    description:
      'Deletes an agent, its credentials and the permission rules that name it, and answers what was deleted. Needs OPERATOR.',
  })
  async deleteAgent(
    @Ctx() { principal }: GraphqlContext,
    @Arg('ref', () => String, { description: REF }) ref: string,
  ): Promise<AgentType> {
    demandRef(principal, 'agents.write', ref, 'agent');
    return agentNode(await this.services.agents.delete(actorOf(principal), ref), []);
  }

  @Mutation(() => AgentType, {
    description: 'Gives the instances of an agent no new calls; running ones finish, then they leave. Needs OPERATOR.',
  })
  drainAgent(
    @Ctx() { principal }: GraphqlContext,
    @Arg('ref', () => String, { description: REF }) ref: string,
    @Arg('reason', () => String, { nullable: true, description: 'Why, for people.' }) reason?: string | null,
  ): AgentType {
    demandRef(principal, 'agents.drain', ref, 'agent');
    const record = this.services.registry.agent(ref as AgentRecord['ref']);
    if (record === undefined) throw notFound('agent', ref);
    for (const { ref: instance, lifecycle } of this.services.registry.instances(record.ref)) {
      if (lifecycle === 'GONE' || lifecycle === 'SUSPECT' || lifecycle === 'DRAINING') continue;
      this.services.control.drain(instance, principal.caller, reason ?? '');
    }
    return this.#node(record);
  }

  @Mutation(() => AgentType, {
    description: 'Gives an agent no new calls until it is resumed, restarts included. Needs OPERATOR.',
  })
  async pauseAgent(
    @Ctx() { principal }: GraphqlContext,
    @Arg('ref', () => String, { description: REF }) ref: string,
    @Arg('reason', () => String, { nullable: true, description: 'Why, for people; kept in audit.' })
    reason?: string | null,
  ): Promise<AgentType> {
    demandRef(principal, 'agents.drain', ref, 'agent');
    return this.#node(await this.services.agents.setPaused(actorOf(principal), ref, true, reason ?? ''));
  }

  @Mutation(() => AgentType, { description: 'Lets a paused agent take calls again. Needs OPERATOR.' })
  async resumeAgent(
    @Ctx() { principal }: GraphqlContext,
    @Arg('ref', () => String, { description: REF }) ref: string,
  ): Promise<AgentType> {
    demandRef(principal, 'agents.drain', ref, 'agent');
    return this.#node(await this.services.agents.setPaused(actorOf(principal), ref, false, ''));
  }

  @Mutation(() => AgentType, {
    description:
      'Says which traffic a version of an agent gets, its live instances included; registering again changes nothing about it. Needs OPERATOR.',
  })
  async setVersionDomain(
    @Ctx() { principal }: GraphqlContext,
    @Arg('ref', () => String, { description: REF }) ref: string,
    @Arg('version', () => String, { description: 'The version, as the agent names it.' }) version: string,
    @Arg('domain', () => DomainEnum, { description: 'Which traffic it gets from now on.' }) domain: Domain,
    @Arg('expectedDomain', () => DomainEnum, {
      nullable: true,
      description:
        'The domain that the decision was based on; another one by now is a CONFLICT, since a canary moves by itself.',
    })
    expectedDomain?: Domain | null,
  ): Promise<AgentType> {
    demandRef(principal, 'agents.write', ref, 'agent');
    const { agents } = this.services;
    return this.#node(await agents.setVersionDomain(actorOf(principal), ref, version, domain, expectedDomain));
  }

  @FieldResolver(() => [InstanceType], { description: 'Its instances.' })
  instances(@Root() agent: AgentType): readonly InstanceType[] {
    return agent.views.map(instanceNode);
  }

  @FieldResolver(() => [InstanceTransitionType], {
    description:
      'The latest steps of its instances since the server started, gone ones included, newest first; 30 at most. Audit has all.',
  })
  history(@Root() agent: AgentType): readonly InstanceTransitionType[] {
    return this.services.registry.history(agent.record.ref).map(transitionNode);
  }

  @FieldResolver(() => [AgentVersionType], { description: 'Its versions, newest first.' })
  versions(@Root() agent: AgentType): readonly AgentVersionType[] {
    return [...agent.record.versions.values()]
      .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
      .map((version) => versionNode(agent.record, version));
  }

  @FieldResolver(() => [CapabilityType], {
    description: "What it can do: by its live instances' versions, else by its newest version.",
  })
  capabilities(@Root() agent: AgentType): readonly CapabilityType[] {
    return capabilitiesOf(agent.record, agent.views);
  }

  @FieldResolver(() => [TokenType], { description: 'Its tokens, ended ones included. Needs OPERATOR.' })
  async tokens(@Root() agent: AgentType, @Ctx() { principal, loaders }: GraphqlContext): Promise<readonly TokenType[]> {
    demand(principal, 'tokens.read', agent.namespace);
    return loaders.tokensOfAgent.load(agent.record.uid);
  }

  #node(record: AgentRecord): AgentType {
    return agentNode(record, this.services.registry.instances(record.ref));
  }
}

@Resolver(() => AgentVersionType)
export class AgentVersionResolver {
  constructor(private readonly services: Pick<GraphqlServices, 'canaries'>) {}

  @FieldResolver(() => VersionCanaryType, {
    nullable: true,
    description: 'Its trial as a canary: the one that runs, else the last one; null when it never had one.',
  })
  canary(@Root() { agent, record }: AgentVersionType): VersionCanaryType | null {
    const view = this.services.canaries.view(agent, record);
    if (view === undefined) return null;
    return { ...view, errorRate: view.calls === 0 ? null : view.failures / view.calls };
  }

  @FieldResolver(() => [CapabilityType], { description: 'What it can do.' })
  capabilities(@Root() { agent, record }: AgentVersionType): readonly CapabilityType[] {
    return record.capabilities.map((capability) => capabilityNode(agent.ref, record.version, capability));
  }
}

function concerns(record: AgentRecord, filter: AgentFilter | null | undefined): boolean {
  if (filter == null) return true;
  const { search, type, kind, capability } = filter;
  return (
    contains(search, record.id, record.type, record.owner, record.description) &&
    (type == null || record.type === type) &&
    (kind == null || record.kind === kind) &&
    (capability == null || offers(record, capability))
  );
}

function offers(record: AgentRecord, capability: string): boolean {
  return [...record.versions.values()].some((version) =>
    version.capabilities.some(({ name, aliases }) => name === capability || aliases.includes(capability)),
  );
}
