import type { InstanceRef } from '@agent-reach/sdk/protocol';
import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { inScope } from '../../../governance/access/principal.js';
import { pageInMemory } from '../../../governance/page.js';
import type { InstanceView } from '../../../perceive/model.js';
import { demandList, demandRef } from '../access.js';
import { type Connection, ConnectionArgs } from '../connection.js';
import type { GraphqlContext } from '../context.js';
import { connection, pageRequest } from '../paging.js';
import type { GraphqlServices } from '../services.js';
import { InstanceConnection, InstanceFilter, InstanceType } from '../types/instances.types.js';
import { instanceNode } from './registry.mapping.js';

const LIST = 'instances';
const INSTANCE = 'The instance, `namespace/agent/instance`.';

@Resolver(() => InstanceType)
export class InstanceResolver {
  constructor(private readonly services: Pick<GraphqlServices, 'registry' | 'control'>) {}

  @Query(() => InstanceConnection, { description: 'Instances, as the routers see them now, by name.' })
  instances(
    @Ctx() { principal }: GraphqlContext,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Arg('namespace', () => String, { nullable: true, description: 'Only of this namespace.' })
    namespace?: string | null,
    @Arg('filter', () => InstanceFilter, { nullable: true, description: 'Which instances.' })
    filter?: InstanceFilter | null,
  ): Connection<InstanceType> {
    const scope = demandList(principal, 'agents.read', namespace);
    const request = pageRequest(LIST, args);
    const found: InstanceView[] = [];
    for (const agent of this.services.registry.agents()) {
      if (!inScope(scope, agent.namespace)) continue;
      if (filter?.agent != null && filter.agent !== agent.ref) continue;
      found.push(...this.services.registry.instances(agent.ref).filter((view) => concerns(view, filter)));
    }
    const keyOf = (view: InstanceView): readonly string[] => [view.ref];
    return connection(LIST, pageInMemory(found, request, keyOf), keyOf, instanceNode);
  }

  @Mutation(() => InstanceType, {
    description: 'Gives an instance no new calls; running ones finish, then it leaves. Needs OPERATOR.',
  })
  drainInstance(
    @Ctx() { principal }: GraphqlContext,
    @Arg('instance', () => String, { description: INSTANCE }) instance: string,
    @Arg('reason', () => String, { nullable: true, description: 'Why, for people.' }) reason?: string | null,
  ): InstanceType {
    demandRef(principal, 'agents.drain', instance, 'instance');
    return instanceNode(this.services.control.drain(instance as InstanceRef, principal.caller, reason ?? ''));
  }

  @Mutation(() => InstanceType, { description: 'Gives an instance no new calls until it is resumed. Needs OPERATOR.' })
  pauseInstance(
    @Ctx() { principal }: GraphqlContext,
    @Arg('instance', () => String, { description: INSTANCE }) instance: string,
    @Arg('reason', () => String, { nullable: true, description: 'Why, for people.' }) reason?: string | null,
  ): InstanceType {
    demandRef(principal, 'agents.drain', instance, 'instance');
    return instanceNode(this.services.control.pause(instance as InstanceRef, principal.caller, reason ?? ''));
  }

  @Mutation(() => InstanceType, { description: 'Lets a paused or draining instance take calls again. Needs OPERATOR.' })
  resumeInstance(
    @Ctx() { principal }: GraphqlContext,
    @Arg('instance', () => String, { description: INSTANCE }) instance: string,
  ): InstanceType {
    demandRef(principal, 'agents.drain', instance, 'instance');
    return instanceNode(this.services.control.resume(instance as InstanceRef, principal.caller));
  }
}

function concerns(view: InstanceView, filter: InstanceFilter | null | undefined): boolean {
  return (
    (filter?.lifecycle == null || filter.lifecycle.includes(view.lifecycle)) &&
    (filter?.health == null || filter.health.includes(view.health)) &&
    (filter?.zone == null || filter.zone === view.zone)
  );
}
