import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { enumType } from '../enum-type.js';
import { DateTimeScalar } from '../scalars/datetime.scalar.js';
import { AgentType } from './agents.types.js';

export const TopologyNodeKindEnum = enumType('TopologyNodeKind', 'What stands at an end of calls.', {
  AGENT: 'An agent.',
  APP: 'A program with an API token.',
  USER: 'A person.',
});

@ObjectType('OutcomeCount', { description: 'How many calls ended in one way.' })
export class OutcomeCountType {
  @Field(() => String, { description: 'An error code.' })
  outcome: string;

  @Field(() => Int, { description: 'How many calls.' })
  calls: number;
}

@ObjectType('CallLatency', {
  description: 'From receipt of a call to its answer, in ms. Percentiles are estimates from buckets.',
})
export class CallLatencyType {
  @Field(() => Float, { description: 'The mean.' })
  meanMs: number;

  @Field(() => Float, { description: 'What half of the calls did not exceed.' })
  p50Ms: number;

  @Field(() => Float, { description: 'What 95 % of the calls did not exceed.' })
  p95Ms: number;

  @Field(() => Float, { description: 'What 99 % of the calls did not exceed.' })
  p99Ms: number;
}

@ObjectType('TopologyCapability', { description: 'The calls of an edge to one capability.' })
export class TopologyCapabilityType {
  @Field(() => String, {
    nullable: true,
    description: 'Its name; null for further ones, which are counted together beyond 16.',
  })
  name: string | null;

  @Field(() => Int, { description: 'How many calls.' })
  calls: number;

  @Field(() => Int, { description: 'How many of them failed.' })
  failures: number;

  @Field(() => CallLatencyType, { nullable: true, description: 'Of the calls that an instance was asked for.' })
  latency: CallLatencyType | null;
}

@ObjectType('UnroutedCalls', {
  description: 'Calls that reached no agent: nobody offers what was asked for, or the caller may ask nobody for it.',
})
export class UnroutedCallsType {
  @Field(() => Int, { description: 'How many calls.' })
  calls: number;

  @Field(() => [OutcomeCountType], { description: 'How they ended, the most frequent first.' })
  outcomes: readonly OutcomeCountType[];

  @Field(() => [TopologyCapabilityType], { description: 'What was asked for, the most called first.' })
  capabilities: readonly TopologyCapabilityType[];

  @Field(() => DateTimeScalar, { description: 'When the last of them ended.' })
  lastCallAt: Date;
}

@ObjectType('TopologyNode', { description: 'A caller, an agent that was called, or both.' })
export class TopologyNodeType {
  @Field(() => ID, { description: 'As a caller is written: `agent:namespace/id`, `app:namespace/name`, `user:name`.' })
  id: string;

  @Field(() => TopologyNodeKindEnum, { description: 'What it is.' })
  kind: keyof typeof TopologyNodeKindEnum;

  @Field(() => String, { description: 'Its name without the namespace.' })
  name: string;

  @Field(() => String, { nullable: true, description: 'The namespace that it belongs to; null for a person.' })
  namespace: string | null;

  @Field(() => AgentType, {
    nullable: true,
    description: 'The agent with its state now; null for programs, people, and agents that were deleted since.',
  })
  agent: AgentType | null;

  @Field(() => UnroutedCallsType, { nullable: true, description: 'Its calls that reached no agent, if there are any.' })
  unrouted: UnroutedCallsType | null;
}

@ObjectType('TopologyEdge', { description: 'The calls of one caller to one agent, as the caller saw them end.' })
export class TopologyEdgeType {
  @Field(() => ID, { description: 'Id of the node that called.' })
  from: string;

  @Field(() => ID, { description: 'Id of the node that was called.' })
  to: string;

  @Field(() => Int, { description: 'How many calls.' })
  calls: number;

  @Field(() => Float, { description: 'Calls a minute, over the stretch that was counted.' })
  callsPerMinute: number;

  @Field(() => Int, { description: 'How many of the calls failed, refused ones included.' })
  failures: number;

  @Field(() => Float, { description: 'Which share of the calls failed, 0 to 1.' })
  errorRate: number;

  @Field(() => [OutcomeCountType], { description: 'How calls failed, the most frequent first.' })
  outcomes: readonly OutcomeCountType[];

  @Field(() => Int, {
    description: 'Calls that were answered without asking an instance: from the cache, or again to a repetition.',
  })
  fromMemory: number;

  @Field(() => CallLatencyType, {
    nullable: true,
    description: 'Of the calls that an instance was asked for; null without any. A task counts until its acceptance.',
  })
  latency: CallLatencyType | null;

  @Field(() => DateTimeScalar, { description: 'When the last of the calls ended.' })
  lastCallAt: Date;

  @Field(() => [TopologyCapabilityType], { description: 'What was called, the most called first.' })
  capabilities: readonly TopologyCapabilityType[];
}

@ObjectType('Topology', {
  description:
    'Who called whom within a window, counted by this server since it started. Calls of which either end is outside the scope do not occur.',
})
export class TopologyType {
  @Field(() => DateTimeScalar, {
    description:
      "From when on calls count: the window's beginning in whole steps of the count, or the start of the server.",
  })
  since: Date;

  @Field(() => DateTimeScalar, { description: 'Until when: now.' })
  until: Date;

  @Field(() => [TopologyNodeType], { description: 'The ends of the edges, and callers that reached nobody, by id.' })
  nodes: readonly TopologyNodeType[];

  @Field(() => [TopologyEdgeType], { description: 'The edges with the most calls, the most called first.' })
  edges: readonly TopologyEdgeType[];

  @Field(() => Int, { description: 'Edges that match and were left out by `first`.' })
  omittedEdges: number;

  @Field(() => Int, {
    description: 'Calls that no edge holds, because the server counts only so many different ones at once.',
  })
  uncountedCalls: number;
}

@InputType('TopologyFilter', { description: 'Which calls; what is given must all match.' })
export class TopologyFilter {
  @Field(() => String, { nullable: true, description: 'Of or to this node, by its id, such as `agent:shop/orders`.' })
  node?: string | null;

  @Field(() => String, { nullable: true, description: 'Of this capability; every figure is then of it alone.' })
  capability?: string | null;
}
