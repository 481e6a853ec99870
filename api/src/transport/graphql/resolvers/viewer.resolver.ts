import { Arg, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { ACTION_NAMES, mayDo } from '../../../governance/access/actions.js';
import { inScope } from '../../../governance/access/principal.js';
import { notFound } from '../../../governance/input.js';
import type { GraphqlContext } from '../context.js';
import { ActionPermissionType, ViewerType } from '../types/viewer.types.js';

@Resolver(() => ViewerType)
export class ViewerResolver {
  @Query(() => ViewerType, { description: 'Who is signed in.' })
  viewer(@Ctx() { principal }: GraphqlContext): ViewerType {
    const { name, caller, kind, roles } = principal;
    return { name, caller, kind: kind === 'USER' ? 'USER' : 'APP', roles, principal };
  }

  @FieldResolver(() => [ActionPermissionType], { description: 'What the viewer may do, and why not.' })
  permissions(
    @Root() { principal }: ViewerType,
    @Arg('namespace', () => String, { nullable: true, description: 'In this namespace; default: in all.' })
    namespace?: string | null,
  ): readonly ActionPermissionType[] {
    if (namespace != null && !inScope(principal.scope, namespace)) throw notFound('namespace', namespace);
    return ACTION_NAMES.map((action) => {
      const answer = mayDo(principal, action, namespace ?? null);
      return { action, allowed: answer.allowed, reason: answer.allowed ? null : answer.reason };
    });
  }
}
