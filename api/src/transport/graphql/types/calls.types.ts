import { createUnionType, Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { JsonScalar } from '../scalars/json.scalar.js';
import { CallTargetInput } from './routes.types.js';

@ObjectType('CallCompleted', { description: 'A call that came to its result.' })
export class CallCompleted {
  @Field(() => ID, { description: 'Its request id.' })
  requestId: string;

  @Field(() => Int, { description: 'How many attempts it took.' })
  attempts: number;

  @Field(() => JsonScalar, { nullable: true, description: 'The result.' })
  result: unknown;

  @Field(() => String, { nullable: true, description: 'The instance that answered.' })
  instance: string | null;

  @Field(() => Boolean, {
    description: 'Whether this is the first answer to an earlier call with the same request id.',
  })
  replayed: boolean;

  @Field(() => Float, { description: 'How long it took in ms.' })
  durationMs: number;
}

@ObjectType('CallFailed', { description: 'A call that failed.' })
export class CallFailed {
  @Field(() => ID, { description: 'Its request id.' })
  requestId: string;

  @Field(() => Int, { description: 'How many attempts were made.' })
  attempts: number;

  @Field(() => String, { description: 'The error code.' })
  code: string;

  @Field(() => String, { description: 'What happened.' })
  message: string;

  @Field(() => Boolean, { description: 'Whether repeating the same request later can succeed.' })
  retryable: boolean;

  @Field(() => Int, { nullable: true, description: 'ms after which repeating makes sense.' })
  retryAfterMs: number | null;

  @Field(() => JsonScalar, { nullable: true, description: 'Data by code, and the faulty fields as `fields`.' })
  details: unknown;

  @Field(() => Float, { description: 'How long it took in ms.' })
  durationMs: number;
}

@ObjectType('CallAccepted', { description: 'A task that was accepted; its completion comes later.' })
export class CallAccepted {
  @Field(() => ID, { description: 'Its request id.' })
  requestId: string;

  @Field(() => Int, { description: 'How many attempts acceptance took.' })
  attempts: number;

  @Field(() => ID, { description: 'By which its completion is found.' })
  taskId: string;
}

export const DispatchResultUnion = createUnionType({
  name: 'DispatchResult',
  description: 'How a dispatched call ended.',
  types: () => [CallCompleted, CallFailed, CallAccepted] as const,
});

@InputType('DispatchInput', { description: 'A call to dispatch.' })
export class DispatchInput {
  @Field(() => String, {
    nullable: true,
    description: 'Names the call for ever: repeating it gets the same answer. 1 to 128 characters; default: a new one.',
  })
  requestId?: string | null;

  @Field(() => CallTargetInput, { description: 'Whom it is for.' })
  target: CallTargetInput;

  @Field(() => JsonScalar, { description: 'The parameters: an object.' })
  params: unknown;

  @Field(() => Int, { nullable: true, description: 'Time that the caller allows in ms, retries included.' })
  timeoutMs?: number | null;

  @Field(() => String, { nullable: true, description: 'Keeps calls with the same key on the same instance.' })
  affinityKey?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Sends as this caller, such as `agent:shop/orders`. Needs ADMIN; audit names both.',
  })
  onBehalfOf?: string | null;
}
