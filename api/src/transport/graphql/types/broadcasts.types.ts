import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { JsonScalar } from '../scalars/json.scalar.js';
import { CallErrorType } from './errors.types.js';
import { CallTargetInput } from './routes.types.js';

@ObjectType('BroadcastAnswer', { description: 'What one instance answered to a broadcast.' })
export class BroadcastAnswerType {
  @Field(() => ID, { description: 'The instance, `namespace/agent/instance`.' })
  instance: string;

  @Field(() => JsonScalar, { nullable: true, description: 'Its result; null when it failed.' })
  result: unknown;

  @Field(() => CallErrorType, { nullable: true, description: 'Why it failed; null when it did not.' })
  error: CallErrorType | null;

  @Field(() => Float, { description: 'How long it took in ms.' })
  durationMs: number;
}

@ObjectType('BroadcastGathered', { description: 'What everybody answered to a broadcast within its time.' })
export class BroadcastGatheredType {
  @Field(() => ID, { description: 'Its request id.' })
  requestId: string;

  @Field(() => String, { description: 'The W3C trace id.' })
  traceId: string;

  @Field(() => [BroadcastAnswerType], { description: 'One answer for each instance that was asked.' })
  answers: readonly BroadcastAnswerType[];

  @Field(() => CallErrorType, { nullable: true, description: 'Why nobody was asked; null when somebody was.' })
  error: CallErrorType | null;
}

@InputType('BroadcastInput', { description: 'A call to every instance that matches.' })
export class BroadcastInput {
  @Field(() => String, { nullable: true, description: 'Names the broadcast: 1 to 128 characters; default: a new one.' })
  requestId?: string | null;

  @Field(() => CallTargetInput, { description: 'Whom it is for.' })
  target: CallTargetInput;

  @Field(() => JsonScalar, { description: 'The parameters: an object.' })
  params: unknown;

  @Field(() => Int, { nullable: true, description: 'Time in which answers are collected, in ms.' })
  timeoutMs?: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'Sends as this caller, such as `agent:shop/orders`. Needs ADMIN; audit names both.',
  })
  onBehalfOf?: string | null;
}
