import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { checklistOf } from '../../../perceive/checklist/checklist.js';
import { checklistFix } from '../../checklist-fix.js';
import type { GraphqlContext } from '../context.js';
import type { GraphqlServices } from '../services.js';
import { AgentType } from '../types/agents.types.js';
import { ChecklistItemType } from '../types/checklist.types.js';
import { capabilitiesOf } from './registry.mapping.js';

@Resolver(() => AgentType)
export class ChecklistResolver {
  constructor(private readonly services: Pick<GraphqlServices, 'rules' | 'now'>) {}

  @FieldResolver(() => [ChecklistItemType], {
    description:
      'What it needs so that it gets calls, in the order in which a new agent comes by it, and what of that it has.',
  })
  async checklist(
    @Root() { record, views }: AgentType,
    @Ctx() { loaders }: GraphqlContext,
  ): Promise<readonly ChecklistItemType[]> {
    const { rules } = this.services;
    const now = this.services.now();
    // Whether it has a token is no secret; its tokens are.
    const [tokens, wasCalled] = await Promise.all([
      loaders.tokensOfAgent.load(record.uid),
      loaders.succeeded.load(record.ref),
    ]);
    const isLive = ({ revokedAt, expiresAt }: (typeof tokens)[number]) =>
      revokedAt === null && (expiresAt === null || expiresAt.getTime() > now);
    const items = checklistOf({
      agent: record,
      instances: views,
      rules: rules.set.rules,
      now,
      hasToken: tokens.some(isLive),
      wasCalled,
    });
    const capability = capabilitiesOf(record, views)[0]?.name;
    return items.map((each) => ({
      ...each,
      fix: each.done ? null : (checklistFix(each.item, record.ref, capability) ?? null),
    }));
  }
}
