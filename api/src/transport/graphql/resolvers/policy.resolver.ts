import { Arg, Args, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';
import { demand } from '../../../governance/access/actions.js';
import type { Principal } from '../../../governance/access/principal.js';
import { notFound } from '../../../governance/input.js';
import type { PolicySaved as Saved } from '../../../governance/policies/policy.changes.js';
import { actorOf, demandList } from '../access.js';
import { type Connection, ConnectionArgs } from '../connection.js';
import type { GraphqlContext } from '../context.js';
import { connection, pageRequest } from '../paging.js';
import type { GraphqlServices } from '../services.js';
import { CreatePolicyInput, PolicyConnection, PolicyPatch, PolicySaved, PolicyType } from '../types/policies.types.js';
import { policyNode, testNodes } from './policy.mapping.js';

const LIST = 'policies';
const EXPECTED_VERSION = 'The version that the change was based on; another one by now is a CONFLICT.';

@Resolver()
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
    const page = await this.services.policies.reads.list(scope, namespace, pageRequest(LIST, args));
    return connection(LIST, page, ({ id }) => [id], policyNode);
  }

  @Query(() => PolicyType, { nullable: true, description: 'One policy; null when there is none.' })
  async policy(
    @Ctx() { principal }: GraphqlContext,
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
  ): Promise<PolicyType | null> {
    const policy = await this.services.policies.reads.find(principal.scope, id);
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
    return savedNode(await this.services.policies.saves.create(actorOf(principal), input, principal.scope));
  }

  @Mutation(() => PolicySaved, { description: 'Saves a new version of a policy. Needs OPERATOR.' })
  async updatePolicy(
    @Ctx() { principal }: GraphqlContext,
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
    @Arg('patch', () => PolicyPatch, { description: 'What changes.' }) patch: PolicyPatch,
    @Arg('expectedVersion', () => Int, { description: EXPECTED_VERSION }) expectedVersion: number,
  ): Promise<PolicySaved> {
    await this.#demandWrite(principal, id);
    const { saves } = this.services.policies;
    return savedNode(await saves.update(actorOf(principal), id, patch, expectedVersion, principal.scope));
  }

  @Mutation(() => PolicySaved, {
    description:
      'Brings back the content and tests of an earlier version, as a new version for all calls. Needs OPERATOR.',
  })
  async rollbackPolicy(
    @Ctx() { principal }: GraphqlContext,
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
    @Arg('toVersion', () => Int, { description: 'The earlier version.' }) toVersion: number,
    @Arg('expectedVersion', () => Int, { description: EXPECTED_VERSION }) expectedVersion: number,
    @Arg('comment', () => String, { nullable: true, description: 'Why; at most 2,000 characters.' })
    comment?: string | null,
  ): Promise<PolicySaved> {
    await this.#demandWrite(principal, id);
    const { rollouts } = this.services.policies;
    const back = { toVersion, comment };
    return savedNode(await rollouts.rollback(actorOf(principal), id, back, expectedVersion, principal.scope));
  }

  @Mutation(() => PolicySaved, {
    description: 'Widens or narrows the share of the calls that the newest version is for. Needs OPERATOR.',
  })
  async setPolicyRollout(
    @Ctx() { principal }: GraphqlContext,
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
    @Arg('percent', () => Int, { description: 'The share, 1 to 100 percent; 100: all calls.' }) percent: number,
    @Arg('expectedVersion', () => Int, { description: EXPECTED_VERSION }) expectedVersion: number,
  ): Promise<PolicySaved> {
    await this.#demandWrite(principal, id);
    const { rollouts } = this.services.policies;
    return savedNode(await rollouts.setShare(actorOf(principal), id, percent, expectedVersion, principal.scope));
  }

  @Mutation(() => PolicyType, { description: 'Deletes a policy and answers what was deleted. Needs OPERATOR.' })
  async deletePolicy(
    @Ctx() { principal }: GraphqlContext,
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
  ): Promise<PolicyType> {
    await this.#demandWrite(principal, id);
    return policyNode(await this.services.policies.saves.delete(actorOf(principal), id));
  }

  async #demandWrite(principal: Principal, id: string): Promise<void> {
    const policy = await this.services.policies.reads.find(principal.scope, id);
    if (policy === undefined) throw notFound('policy', id);
    demand(principal, 'policies.write', policy.namespace);
  }
}

function savedNode({ policy, warnings, tests }: Saved): PolicySaved {
  return { policy: policyNode(policy), warnings, tests: testNodes(tests) };
}
