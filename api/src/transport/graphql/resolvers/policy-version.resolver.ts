import { Arg, Args, Ctx, FieldResolver, ID, Int, Query, Resolver, Root } from 'type-graphql';
import type { Principal } from '../../../governance/access/principal.js';
import type { PageRequest } from '../../../governance/page.js';
import type { PolicyView } from '../../../governance/policies/policy.view.js';
import { demandThing } from '../access.js';
import { type Connection, ConnectionArgs } from '../connection.js';
import type { GraphqlContext, Loaders } from '../context.js';
import { connection, pageRequest } from '../paging.js';
import type { GraphqlServices } from '../services.js';
import { PolicyType } from '../types/policies.types.js';
import {
  PolicyFieldChangeType,
  PolicyVersionConnection,
  type PolicyVersionType,
} from '../types/policy-versions.types.js';
import { changeNodes, versionNode } from './policy.mapping.js';

const LIST = 'policyVersions';

@Resolver(() => PolicyType)
export class PolicyVersionResolver {
  constructor(private readonly services: Pick<GraphqlServices, 'policies'>) {}

  @FieldResolver(() => PolicyVersionConnection, { description: 'Its versions, newest first.' })
  versions(
    @Root() { id }: PolicyType,
    @Ctx() { loaders }: GraphqlContext,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
  ): Promise<Connection<PolicyVersionType>> {
    return versionsOf(id, pageRequest(LIST, args), loaders);
  }

  @Query(() => PolicyVersionConnection, { description: 'The versions of a policy, newest first.' })
  async policyVersions(
    @Ctx() { principal, loaders }: GraphqlContext,
    @Arg('id', () => ID, { description: "The policy's id." }) id: string,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
  ): Promise<Connection<PolicyVersionType>> {
    const request = pageRequest(LIST, args);
    await this.#demandRead(principal, id);
    return versionsOf(id, request, loaders);
  }

  @Query(() => [PolicyFieldChangeType], { description: 'In what two versions of a policy differ, field by field.' })
  async policyDiff(
    @Ctx() { principal }: GraphqlContext,
    @Arg('id', () => ID, { description: "The policy's id." }) id: string,
    @Arg('from', () => Int, { description: 'The version to compare from.' }) from: number,
    @Arg('to', () => Int, { description: 'The version to compare with; it may be the earlier one.' }) to: number,
  ): Promise<readonly PolicyFieldChangeType[]> {
    const policy = await this.#demandRead(principal, id);
    return changeNodes(await this.services.policies.reads.diff(policy, from, to));
  }

  async #demandRead(principal: Principal, id: string): Promise<PolicyView> {
    const policy = await this.services.policies.reads.find(principal.scope, id);
    demandThing(principal, 'policies.read', policy?.namespace, 'policy', id);
    if (policy === undefined) throw new Error('a policy that does not exist may be read');
    return policy;
  }
}

async function versionsOf(
  id: string,
  request: PageRequest,
  loaders: Pick<Loaders, 'policyVersions'>,
): Promise<Connection<PolicyVersionType>> {
  const page = await loaders.policyVersions.load({ id, request });
  return connection(LIST, page, ({ version }) => [String(version)], versionNode);
}
