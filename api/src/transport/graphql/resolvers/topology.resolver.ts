import { Arg, Ctx, Int, Query, Resolver } from 'type-graphql';
import { demand } from '../../../governance/access/actions.js';
import { inScope } from '../../../governance/access/principal.js';
import { InputCheck } from '../../../governance/input.js';
import { scopeFor } from '../access.js';
import type { GraphqlContext } from '../context.js';
import type { GraphqlServices } from '../services.js';
import { TopologyFilter, TopologyType } from '../types/topology.types.js';
import { topologyNode } from './topology.mapping.js';

const USUAL_WINDOW_MS = 300_000;
const MIN_WINDOW_MS = 15_000;
const MAX_WINDOW_MS = 3_600_000;
const USUAL_EDGES = 200;
const MAX_EDGES = 500;

@Resolver()
export class TopologyResolver {
  constructor(private readonly services: Pick<GraphqlServices, 'topology' | 'registry'>) {}

  @Query(() => TopologyType, { description: 'Who called whom lately, how often, how well and how fast.' })
  topology(
    @Ctx() { principal }: GraphqlContext,
    @Arg('namespace', () => String, {
      nullable: true,
      description: 'Only calls of which at least one end is in this namespace.',
    })
    namespace?: string | null,
    @Arg('windowMs', () => Int, {
      nullable: true,
      description: 'How far to look back, in ms: 15,000 to 3,600,000; default 300,000.',
    })
    windowMs?: number | null,
    @Arg('filter', () => TopologyFilter, { nullable: true, description: 'Which calls.' })
    filter?: TopologyFilter | null,
    @Arg('first', () => Int, { nullable: true, description: 'How many edges at most: 1 to 500; default 200.' })
    first?: number | null,
  ): TopologyType {
    if (namespace != null) demand(principal, 'agents.read', namespace);
    const check = new InputCheck();
    check.whole('windowMs', windowMs, MIN_WINDOW_MS, MAX_WINDOW_MS);
    check.whole('first', first, 1, MAX_EDGES);
    check.finish('The topology asked for');
    const scope = scopeFor(principal, 'agents.read');
    const reading = this.services.topology.read(
      windowMs ?? USUAL_WINDOW_MS,
      (from, to) =>
        (from === undefined || inScope(scope, from)) &&
        inScope(scope, to) &&
        (namespace == null || namespace === from || namespace === to),
    );
    return topologyNode(reading, filter, first ?? USUAL_EDGES, this.services.registry);
  }
}
