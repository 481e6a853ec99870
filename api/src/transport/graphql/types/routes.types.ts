import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { enumType } from '../enum-type.js';
import { JsonScalar } from '../scalars/json.scalar.js';

@InputType('CallTargetInput', {
  description: 'Whom a call is for. At least one of agent, type, capability and need; what is given must all match.',
})
export class CallTargetInput {
  @Field(() => String, { nullable: true, description: "The namespace; default: the caller's own." })
  namespace?: string | null;

  @Field(() => String, { nullable: true, description: "The agent's id within the namespace." })
  agent?: string | null;

  @Field(() => String, { nullable: true, description: "The agent's type." })
  type?: string | null;

  @Field(() => String, { nullable: true, description: "The capability's name or alias." })
  capability?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'What is needed, in words, instead of a capability; used when one capability clearly fits.',
  })
  need?: string | null;

  @Field(() => [String], { nullable: true, description: 'Tags that the capability must all have.' })
  tags?: readonly string[] | null;

  @Field(() => String, {
    nullable: true,
    description: "A range that the agent's version must lie in, such as `^1.2`, or one exact version.",
  })
  versions?: string | null;
}

@InputType('ExplainRouteInput', { description: 'A call to explain without sending it.' })
export class ExplainRouteInput {
  @Field(() => String, { description: 'Who would call, such as `agent:shop/orders`.' })
  caller: string;

  @Field(() => CallTargetInput, { description: 'Whom the call would be for.' })
  target: CallTargetInput;

  @Field(() => String, { nullable: true, description: 'Its affinity key.' })
  affinityKey?: string | null;

  @Field(() => String, { nullable: true, description: 'The zone that it prefers.' })
  zone?: string | null;

  @Field(() => String, { nullable: true, description: 'Its request id, where a policy version has a rollout share.' })
  requestId?: string | null;
}

@ObjectType('StageCount', { description: 'How many candidates came to a stage of the decision and how many it kept.' })
export class StageCountType {
  @Field(() => String, { description: 'The stage, such as PERMISSION or CAPACITY.' })
  stage: string;

  @Field(() => Int, { description: 'Candidates that came to it.' })
  entered: number;

  @Field(() => Int, { description: 'Candidates that it kept.' })
  kept: number;
}

@ObjectType('CandidateExplanation', { description: 'Why one candidate was kept or dropped.' })
export class CandidateExplanationType {
  @Field(() => String, { description: '`namespace/agent/instance`' })
  instance: string;

  @Field(() => Boolean, { description: 'Whether it could be chosen.' })
  kept: boolean;

  @Field(() => String, { description: 'The stage at which it was dropped, or STRATEGY.' })
  stage: string;

  @Field(() => String, { description: 'Why.' })
  reason: string;

  @Field(() => Float, { nullable: true, description: "The strategy's score; the highest is chosen." })
  score: number | null;

  @Field(() => JsonScalar, { nullable: true, description: 'What the score is made of, by name.' })
  parts: Readonly<Record<string, number>> | null;
}

@ObjectType('PolicyUsed', { description: 'The policy version that a decision followed.' })
export class PolicyUsed {
  @Field(() => ID, { nullable: true, description: 'Its id; null for the built-in default.' })
  id: string | null;

  @Field(() => String, { description: 'Its name.' })
  name: string;

  @Field(() => Int, { description: 'Its version.' })
  version: number;

  @Field(() => String, { description: 'The strategy that it names.' })
  strategy: string;
}

@ObjectType('RolloutUsed', {
  description: 'A policy version that is for a share of the calls, and the one for the rest.',
})
export class RolloutUsed {
  @Field(() => Int, { description: 'The newest version.' })
  newest: number;

  @Field(() => Int, { description: 'Its share of the calls, in percent.' })
  percent: number;

  @Field(() => Int, { description: 'The version for the rest; 0: they go as if there were no such policy.' })
  stable: number;
}

export const BindingKindEnum = enumType('BindingKind', 'What a call does to the binding of its affinity key.', {
  KEPT: 'It was bound to the instance before.',
  NEW: 'It was bound to nobody.',
  MOVED: 'The instance that it was bound to is lost.',
});

@ObjectType('BindingUsed', {
  description: 'To which instance the affinity key of a call is bound, once it is carried out.',
})
export class BindingUsed {
  @Field(() => String, { description: 'The instance, `namespace/agent/instance`.' })
  instance: string;

  @Field(() => BindingKindEnum, { description: 'Whether it was so before.' })
  kind: keyof typeof BindingKindEnum;

  @Field(() => String, { nullable: true, description: 'The lost instance that it was bound to, when it moved.' })
  from: string | null;
}

@ObjectType('RouteExplanation', { description: 'Where a call would go now, and why, made by the code that decides.' })
export class RouteExplanationType {
  @Field(() => String, { description: '`OK`, or the error code that the call would get.' })
  outcome: string;

  @Field(() => String, { nullable: true, description: 'The instance that would be chosen.' })
  chosen: string | null;

  @Field(() => String, { description: 'The decision in a sentence.' })
  message: string;

  @Field(() => PolicyUsed, { description: 'The policy that it followed.' })
  policy: PolicyUsed;

  @Field(() => RolloutUsed, {
    nullable: true,
    description:
      "Set while the policy's newest version is for a share of the calls; `policy` is the version of this call.",
  })
  rollout: RolloutUsed | null;

  @Field(() => Float, {
    nullable: true,
    description:
      "The namespace's share for canaries, in percent, where it decided into which domain the call falls; null: something else did.",
  })
  canaryPercent: number | null;

  @Field(() => BindingUsed, {
    nullable: true,
    description: 'Null when the call has no affinity key, or its policy binds none.',
  })
  binding: BindingUsed | null;

  @Field(() => [StageCountType], { description: 'The stages in their order.' })
  stages: readonly StageCountType[];

  @Field(() => [CandidateExplanationType], { description: 'Every candidate.' })
  candidates: readonly CandidateExplanationType[];

  @Field(() => [String], {
    description: 'What could not be evaluated, in sentences; empty when the answer is what a call would get.',
  })
  unknown: readonly string[];

  @Field(() => String, { description: 'The version of the route table that it used.' })
  tableVersion: string;
}
