import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { demand } from '../../../governance/access/actions.js';
import type { GraphqlContext } from '../context.js';
import type { GraphqlServices } from '../services.js';
import { DraftReplayType, PolicyCheckType, PolicyDraftInput } from '../types/policy-drafts.types.js';
import { changeNodes, testNodes } from './policy.mapping.js';

@Resolver()
export class PolicyDraftResolver {
  constructor(private readonly services: Pick<GraphqlServices, 'policies'>) {}

  @Query(() => PolicyCheckType, { description: 'What a save of a draft would come to. Saves nothing.' })
  async checkPolicy(
    @Ctx() { principal }: GraphqlContext,
    @Arg('draft', () => PolicyDraftInput, { description: 'The draft.' }) draft: PolicyDraftInput,
  ): Promise<PolicyCheckType> {
    demand(principal, 'policies.read', draft.namespace);
    const { tests, changes, ...check } = await this.services.policies.drafts.check(draft, principal.scope);
    return { ...check, tests: testNodes(tests), changes: changeNodes(changes) };
  }

  @Query(() => DraftReplayType, {
    description:
      'What would have become of recent calls under a draft: how many would go elsewhere, from where to where, and of how many it cannot be told. Saves and sends nothing.',
  })
  async replayDraft(
    @Ctx() { principal, signal }: GraphqlContext,
    @Arg('draft', () => PolicyDraftInput, { description: 'The draft.' }) draft: PolicyDraftInput,
  ): Promise<DraftReplayType> {
    demand(principal, 'policies.read', draft.namespace);
    const { scope, caller } = principal;
    const { since, ...replay } = await this.services.policies.drafts.replay(draft, scope, 'draft', caller, signal);
    return { ...replay, since: since === null ? null : new Date(since) };
  }
}
