import { randomUUID } from 'node:crypto';
import { namespaceOfCaller } from '@agent-reach/sdk/protocol';
import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { demand } from '../../../governance/access/actions.js';
import { invalid } from '../access.js';
import { callerContext, callerOf } from '../callers.js';
import type { GraphqlContext } from '../context.js';
import type { GraphqlServices } from '../services.js';
import { ExplainRouteInput, RouteExplanationType } from '../types/routes.types.js';
import { targetOf } from './call-target.js';

@Resolver()
export class RouteResolver {
  constructor(private readonly services: Pick<GraphqlServices, 'explain' | 'registry'>) {}

  @Query(() => RouteExplanationType, {
    description: 'Where a call would go now, and why every candidate was kept or dropped. Sends nothing.',
  })
  explainRoute(
    @Ctx() { principal }: GraphqlContext,
    @Arg('input', () => ExplainRouteInput, { description: 'The call.' }) input: ExplainRouteInput,
  ): RouteExplanationType {
    const caller = callerOf(input.caller, 'input.caller');
    const namespace = input.target.namespace ?? namespaceOfCaller(caller);
    if (namespace === undefined) invalid('input.target.namespace', 'nothing', 'a namespace: this caller has none');
    demand(principal, 'routes.explain', namespace);
    const { policy, stages, candidates, chosen, ...rest } = this.services.explain.explain(
      {
        requestId: input.requestId ?? randomUUID(),
        target: targetOf(input.target, namespace),
        affinityKey: input.affinityKey ?? undefined,
        zone: input.zone ?? undefined,
      },
      callerContext(principal, caller, namespace, this.services.registry),
    );
    return {
      ...rest,
      chosen: chosen ?? null,
      policy,
      stages,
      candidates: candidates.map(({ score, parts, ...each }) => ({
        ...each,
        score: score ?? null,
        parts: parts ?? null,
      })),
    };
  }
}
