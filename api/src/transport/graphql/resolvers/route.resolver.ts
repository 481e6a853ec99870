import { randomUUID } from 'node:crypto';
import type { PolicySet, RouteExplanation } from '@agent-reach/sdk/decide';
import { namespaceOfCaller } from '@agent-reach/sdk/protocol';
import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { demand } from '../../../governance/access/actions.js';
import type { Principal } from '../../../governance/access/principal.js';
import { invalid } from '../access.js';
import { callerContext, callerOf } from '../callers.js';
import type { GraphqlContext } from '../context.js';
import type { GraphqlServices } from '../services.js';
import { PolicyDraftInput } from '../types/policy-drafts.types.js';
import { ExplainRouteInput, RouteExplanationType } from '../types/routes.types.js';
import { targetOf } from './call-target.js';

@Resolver()
export class RouteResolver {
  constructor(private readonly services: Pick<GraphqlServices, 'explain' | 'policies' | 'registry'>) {}

  @Query(() => RouteExplanationType, {
    description:
      'Where a call would go now, and why every candidate was kept or dropped; with a draft, under the policies that would then be in force. Sends nothing.',
  })
  async explainRoute(
    @Ctx() { principal }: GraphqlContext,
    @Arg('input', () => ExplainRouteInput, { description: 'The call.' }) input: ExplainRouteInput,
    @Arg('draft', () => PolicyDraftInput, {
      nullable: true,
      description: 'A policy that is not saved, of the namespace that the call is for.',
    })
    draft?: PolicyDraftInput | null,
  ): Promise<RouteExplanationType> {
    const caller = callerOf(input.caller, 'input.caller');
    const namespace = input.target.namespace ?? namespaceOfCaller(caller);
    if (namespace === undefined) invalid('input.target.namespace', 'nothing', 'a namespace: this caller has none');
    demand(principal, 'routes.explain', namespace);
    const policies = draft == null ? undefined : await this.#draftPolicies(principal, draft, namespace);
    const explanation = this.services.explain.explain(
      {
        requestId: input.requestId ?? randomUUID(),
        target: targetOf(input.target, namespace),
        affinityKey: input.affinityKey ?? undefined,
        zone: input.zone ?? undefined,
      },
      callerContext(principal, caller, namespace, this.services.registry),
      policies,
    );
    return explanationNode(explanation);
  }

  async #draftPolicies(principal: Principal, draft: PolicyDraftInput, namespace: string): Promise<PolicySet> {
    demand(principal, 'policies.read', draft.namespace);
    if (draft.namespace !== namespace) {
      invalid('draft.namespace', draft.namespace, `${namespace}, the namespace that the call is for`);
    }
    return this.services.policies.drafts.policySet(draft, principal.scope, 'draft');
  }
}

function explanationNode(explanation: RouteExplanation): RouteExplanationType {
  const { chosen, rollout, canaryPercent, binding, candidates, ...rest } = explanation;
  return {
    ...rest,
    chosen: chosen ?? null,
    rollout: rollout ?? null,
    canaryPercent: canaryPercent ?? null,
    binding: binding === undefined ? null : { ...binding, from: binding.from ?? null },
    candidates: candidates.map(({ score, parts, ...each }) => ({
      ...each,
      score: score ?? null,
      parts: parts ?? null,
    })),
  };
}
