import type { FallbackKind } from '@agent-reach/sdk/protocol';
import { createUnionType, Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { JsonScalar } from '../scalars/json.scalar.js';
import { FallbackKindEnum } from './enums.types.js';
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

  @Field(() => Boolean, { description: 'Whether it is the remembered answer of an equal call.' })
  cached: boolean;

  @Field(() => FallbackKindEnum, {
    nullable: true,
    description: "Set when the policy's fallback answered instead of an instance that the call was for.",
  })
  fallback: FallbackKind | null;

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

  @Field(() => String, { nullable: true, description: 'The instance that took it.' })
  instance: string | null;

  @Field(() => Boolean, { description: 'Whether an earlier call with the same request id was accepted as this task.' })
  replayed: boolean;

  @Field(() => Float, { description: 'How long acceptance took in ms.' })
  durationMs: number;
}

export const DispatchResultUnion = createUnionType({
  name: 'DispatchResult',
  description: 'How a dispatched call ended.',
  types: () => [CallCompleted, CallFailed, CallAccepted] as const,
});

@InputType('TaskCallbackInput', { description: 'A webhook that is told of the end of a task.' })
export class TaskCallbackInput {
  @Field(() => String, { description: 'Where the message is sent: an http or https address.' })
  url: string;

  @Field(() => String, {
    description: 'What it is signed with (HMAC-SHA-256): 16 to 256 characters, stored encrypted.',
  })
  secret: string;
}

@InputType('DispatchInput', { description: 'A call to dispatch.' })
export class DispatchInput {
  @Field(() => String, {
    nullable: true,
    description:
      'Names the call for ever: repeating it gets the same answer, but for one that a fallback gave (STALE, ANSWER): that is not remembered, and the call is executed. 1 to 128 characters; default: a new one.',
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

  @Field(() => Int, {
    nullable: true,
    description: 'Where the policy lets calls wait for room: higher goes first, 0 to 9; default 5.',
  })
  priority?: number | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'For a task: ms from its acceptance to its end, 1,000 to 86,400,000; default 15 minutes. What is no task is refused with it.',
  })
  taskTimeoutMs?: number | null;

  @Field(() => TaskCallbackInput, { nullable: true, description: 'For a task: whom to tell when it is over.' })
  callback?: TaskCallbackInput | null;

  @Field(() => String, {
    nullable: true,
    description: 'Sends as this caller, such as `agent:shop/orders`. Needs ADMIN; audit names both.',
  })
  onBehalfOf?: string | null;
}
