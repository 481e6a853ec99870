import { Arg, Args, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';
import { demand } from '../../../governance/access/actions.js';
import type { Principal } from '../../../governance/access/principal.js';
import { notFound } from '../../../governance/input.js';
import { policyWorstCaseMs } from '../../../governance/policies/policy.service.js';
import type { PolicyView } from '../../../governance/policies/policy.store.js';
import { actorOf, demandList } from '../access.js';
import { type Connection, ConnectionArgs } from '../connection.js';
import type { GraphqlContext } from '../context.js';
import { connection, pageRequest } from '../paging.js';
import type { GraphqlServices } from '../services.js';
import { CreatePolicyInput, PolicyConnection, PolicyPatch, PolicySaved, PolicyType } from '../types/policies.types.js';

const LIST = 'policies';

const policyNode = (policy: PolicyView): PolicyType => ({ ...policy, worstCaseMs: policyWorstCaseMs(policy) });

@Resolver(() => PolicyType)
export class PolicyResolver {
  constructor(private readonly services: Pick<GraphqlServices, 'policies'>) {}

  @Query(() => PolicyConnection, { description: 'Policies in their newest versions, oldest policy first.' })
  async policies(
    @Ctx() { principal }: GraphqlContext,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Arg('namespace', () => String, { nullable: true, description: 'Only of this namespace.' })
    namespace?: string | null,
  ): Promise<Connection<PolicyType>> {
    const scope = demandList(principal, 'policies.read', namespace);
    const page = await this.services.policies.list(scope, namespace, pageRequest(LIST, args));
    return connection(LIST, page, ({ id }) => [id], policyNode);
  }

  @Query(() => PolicyType, { nullable: true, description: 'One policy; null when there is none.' })
  async policy(
    @Ctx() { principal }: GraphqlContext,
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
  ): Promise<PolicyType | null> {
    const policy = await this.services.policies.find(principal.scope, id);
    if (policy === undefined) return null;
    demand(principal, 'policies.read', policy.namespace);
    return policyNode(policy);
  }

  @Mutation(() => PolicySaved, { description: 'Creates a policy. Needs OPERATOR.' })
  async createPolicy(
    @Ctx() { principal }: GraphqlContext,
    @Arg('input', () => CreatePolicyInput, { description: 'The new policy.' }) input: CreatePolicyInput,
  ): Promise<PolicySaved> {
    demand(principal, 'policies.write', input.namespace);
    const { policy, warnings } = await this.services.policies.create(actorOf(principal), input, principal.scope);
    return { policy: policyNode(policy), warnings };
  }

  @Mutation(() => PolicySaved, { description: 'Saves a new version of a policy. Needs OPERATOR.' })
  async updatePolicy(
    @Ctx() { principal }: GraphqlContext,
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
    @Arg('patch', () => PolicyPatch, { description: 'What changes.' }) patch: PolicyPatch,
    @Arg('expectedVersion', () => Int, {
      description: 'The version that the change was based on; another one by now is a CONFLICT.',
    })
    expectedVersion: number,
  ): Promise<PolicySaved> {
    await this.#demandWrite(principal, id);
    const { policy, warnings } = await this.services.policies.update(
      actorOf(principal),
      id,
      patch,
      expectedVersion,
      principal.scope,
    );
    return { policy: policyNode(policy), warnings };
  }

  @Mutation(() => PolicyType, { description: 'Deletes a policy and answers what was deleted. Needs OPERATOR.' })
  async deletePolicy(
    @Ctx() { principal }: GraphqlContext,
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
  ): Promise<PolicyType> {
    await this.#demandWrite(principal, id);
    return policyNode(await this.services.policies.delete(actorOf(principal), id));
  }

  async #demandWrite(principal: Principal, id: string): Promise<void> {
    const policy = await this.services.policies.find(principal.scope, id);
    if (policy === undefined) throw notFound('policy', id);
    demand(principal, 'policies.write', policy.namespace);
  }
}
