import { Arg, Args, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';
import { demand } from '../../../governance/access/actions.js';
import { actorOf, demandThing, scopeFor } from '../access.js';
import { type Connection, ConnectionArgs } from '../connection.js';
import type { GraphqlContext } from '../context.js';
import { connection, pageRequest } from '../paging.js';
import type { GraphqlServices } from '../services.js';
import { CreateNamespaceInput, NamespaceConnection, NamespacePatch, NamespaceType } from '../types/namespaces.types.js';

const LIST = 'namespaces';
const EXPECTED_VERSION = 'The version that the change was based on; another one by now is a CONFLICT.';

@Resolver(() => NamespaceType)
export class NamespaceResolver {
  constructor(private readonly services: Pick<GraphqlServices, 'namespaces'>) {}

  @Query(() => NamespaceConnection, { description: 'Namespaces that the viewer may see, by id.' })
  async namespaces(
    @Ctx() { principal }: GraphqlContext,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
  ): Promise<Connection<NamespaceType>> {
    const page = await this.services.namespaces.list(scopeFor(principal, 'agents.read'), pageRequest(LIST, args));
    return connection(
      LIST,
      page,
      ({ id }) => [id],
      (item) => item,
    );
  }

  @Query(() => NamespaceType, { nullable: true, description: 'One namespace; null when there is none.' })
  async namespace(
    @Ctx() { principal }: GraphqlContext,
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
  ): Promise<NamespaceType | null> {
    return (await this.services.namespaces.find(scopeFor(principal, 'agents.read'), id)) ?? null;
  }

  @Mutation(() => NamespaceType, { description: 'Creates a namespace. Needs ADMIN in all namespaces.' })
  async createNamespace(
    @Ctx() { principal }: GraphqlContext,
    @Arg('input', () => CreateNamespaceInput, { description: 'The new namespace.' }) input: CreateNamespaceInput,
  ): Promise<NamespaceType> {
    demand(principal, 'namespaces.write', null);
    return this.services.namespaces.create(actorOf(principal), input);
  }

  @Mutation(() => NamespaceType, { description: 'Changes a namespace. Needs ADMIN in it.' })
  async updateNamespace(
    @Ctx() { principal }: GraphqlContext,
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
    @Arg('patch', () => NamespacePatch, { description: 'What changes.' }) patch: NamespacePatch,
    @Arg('expectedVersion', () => Int, { description: EXPECTED_VERSION }) expectedVersion: number,
  ): Promise<NamespaceType> {
    demandThing(principal, 'namespaces.write', id, 'namespace', id);
    return this.services.namespaces.update(actorOf(principal), id, patch, expectedVersion);
  }

  @Mutation(() => NamespaceType, {
    description: 'Deletes an empty namespace and answers what was deleted. Needs ADMIN in it.',
  })
  async deleteNamespace(
    @Ctx() { principal }: GraphqlContext,
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
  ): Promise<NamespaceType> {
    demandThing(principal, 'namespaces.write', id, 'namespace', id);
    return this.services.namespaces.delete(actorOf(principal), id);
  }
}
