import type { AgentRef } from '@agent-reach/sdk/protocol';
import { Arg, Args, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';
import { demand } from '../../../governance/access/actions.js';
import { actorOf, demandList, demandRef, demandThing } from '../access.js';
import { callerOf, rolesOfCaller } from '../callers.js';
import { type Connection, ConnectionArgs } from '../connection.js';
import type { GraphqlContext } from '../context.js';
import { connection, pageRequest } from '../paging.js';
import type { GraphqlServices } from '../services.js';
import {
  CreatePermissionInput,
  PermissionCheck,
  PermissionConnection,
  PermissionFilter,
  PermissionPatch,
  PermissionType,
} from '../types/permissions.types.js';

const LIST = 'permissions';

@Resolver(() => PermissionType)
export class PermissionResolver {
  constructor(private readonly services: Pick<GraphqlServices, 'permissions' | 'rules' | 'registry' | 'now'>) {}

  @Query(() => PermissionConnection, { description: 'Permission rules, oldest first.' })
  async permissions(
    @Ctx() { principal }: GraphqlContext,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Arg('namespace', () => String, { nullable: true, description: 'Only of this namespace.' })
    namespace?: string | null,
    @Arg('filter', () => PermissionFilter, { nullable: true, description: 'Which rules.' })
    filter?: PermissionFilter | null,
  ): Promise<Connection<PermissionType>> {
    const scope = demandList(principal, 'permissions.read', namespace);
    const page = await this.services.permissions.list({ scope, namespace, filter }, pageRequest(LIST, args));
    return connection(
      LIST,
      page,
      ({ id }) => [id],
      (rule) => rule,
    );
  }

  @Query(() => PermissionCheck, {
    description: 'Whether a caller may call a capability of an agent, by the code that decides on calls.',
  })
  async checkPermission(
    @Ctx() { principal, loaders }: GraphqlContext,
    @Arg('caller', () => String, { description: 'The caller, such as `agent:shop/orders`.' }) callerText: string,
    @Arg('target', () => String, { description: 'The agent, `namespace/id`.' }) target: string,
    @Arg('capability', () => String, { description: "The capability's name or alias." }) capability: string,
  ): Promise<PermissionCheck> {
    demandRef(principal, 'permissions.read', target, 'agent');
    const caller = callerOf(callerText, 'caller');
    const roles = rolesOfCaller(principal, caller, this.services.registry);
    const name = this.#nameOf(target as AgentRef, capability);
    const decision = this.services.rules.set.check(caller, roles, target as AgentRef, name, this.services.now());
    const rule = decision.rule === undefined ? undefined : await loaders.permission.load(decision.rule.id);
    const question = `${caller} → ${target}:${name}`;
    if (decision.rule === undefined) {
      return { allowed: false, rule: null, reason: `No rule allows ${question}, so it is denied.` };
    }
    const { effect, caller: from, target: to, capability: what } = decision.rule;
    return {
      allowed: decision.allowed,
      rule: rule ?? null,
      reason: `The rule ${effect} ${from} → ${to}:${what} decides on ${question}.`,
    };
  }

  @Mutation(() => PermissionType, {
    description:
      "Creates a rule. Needs ADMIN in the target's namespace. An ALLOW for callers of another namespace is PENDING and does not count until it is approved.",
  })
  async createPermission(
    @Ctx() { principal }: GraphqlContext,
    @Arg('input', () => CreatePermissionInput, { description: 'The new rule.' }) input: CreatePermissionInput,
  ): Promise<PermissionType> {
    demand(principal, 'permissions.write', this.services.permissions.namespaceOf(input));
    return this.services.permissions.create(actorOf(principal), input);
  }

  @Mutation(() => PermissionType, { description: 'Changes a rule. Needs ADMIN.' })
  async updatePermission(
    @Ctx() { principal }: GraphqlContext,
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
    @Arg('patch', () => PermissionPatch, { description: 'What changes.' }) patch: PermissionPatch,
    @Arg('expectedVersion', () => Int, {
      description: 'The version that the change was based on; another one by now is a CONFLICT.',
    })
    expectedVersion: number,
  ): Promise<PermissionType> {
    const namespace = await this.services.permissions.namespaceOfRule(id);
    demandThing(principal, 'permissions.write', namespace, 'permission rule', id);
    return this.services.permissions.update(actorOf(principal), id, patch, expectedVersion);
  }

  @Mutation(() => PermissionType, { description: 'Deletes a rule and answers what was deleted. Needs ADMIN.' })
  async deletePermission(
    @Ctx() { principal }: GraphqlContext,
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
  ): Promise<PermissionType> {
    const namespace = await this.services.permissions.namespaceOfRule(id);
    demandThing(principal, 'permissions.write', namespace, 'permission rule', id);
    return this.services.permissions.delete(actorOf(principal), id);
  }

  /** The name behind an alias: rules are about names. */
  #nameOf(target: AgentRef, capability: string): string {
    const versions = this.services.registry.agent(target)?.versions.values() ?? [];
    for (const { capabilities } of versions) {
      const found = capabilities.find(({ name, aliases }) => name === capability || aliases.includes(capability));
      if (found !== undefined) return found.name;
    }
    return capability;
  }
}
