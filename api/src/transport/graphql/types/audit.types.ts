import type { AuditKind } from '@agent-reach/sdk/protocol';
import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { connectionOf } from '../connection.js';
import { enumType } from '../enum-type.js';
import { DateTimeScalar } from '../scalars/datetime.scalar.js';
import { JsonScalar } from '../scalars/json.scalar.js';
import { StreamEventKindEnum } from './enums.types.js';

export const AuditKindEnum = enumType('AuditKind', 'What an audit entry records.', {
  CALL: 'A call, from request to result.',
  CHANGE: 'A change that a person or program made.',
  REFUSAL: 'Something that was refused.',
  TRANSITION: 'A change of state, such as an instance that went offline.',
});

@ObjectType('AuditEntry', { description: 'One immutable record.' })
export class AuditEntryType {
  @Field(() => ID, { description: 'Its place in the one sequence of all entries.' })
  sequence: string;

  @Field(() => DateTimeScalar, { description: 'When it happened.' })
  occurredAt: Date;

  @Field(() => DateTimeScalar, { description: 'When it was stored.' })
  recordedAt: Date;

  @Field(() => AuditKindEnum, { description: 'What it records.' })
  kind: AuditKind;

  @Field(() => String, { description: 'The namespace that it belongs to; of the target, for a call.' })
  namespace: string;

  @Field(() => String, { description: 'What happened, such as `call` or `policy.update`.' })
  action: string;

  @Field(() => String, { description: 'Who did it: a caller, or `system`.' })
  actor: string;

  @Field(() => String, { nullable: true, description: 'On whose behalf, where that is another.' })
  onBehalfOf: string | null;

  @Field(() => String, { description: 'What it is about: an agent, instance, policy, rule.' })
  target: string;

  @Field(() => String, { nullable: true, description: 'The capability that was called.' })
  capability: string | null;

  @Field(() => String, {
    nullable: true,
    description: "The caller's own word for the capability, where it called it by an alias.",
  })
  alias: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'What the caller said it needs, where it named no capability.',
  })
  need: string | null;

  @Field(() => String, { nullable: true, description: 'The instance that answered.' })
  instance: string | null;

  @Field(() => String, { description: '`OK`, or an error code.' })
  outcome: string;

  @Field(() => String, { nullable: true, description: 'The id of the request.' })
  requestId: string | null;

  @Field(() => String, { nullable: true, description: 'The W3C trace id.' })
  traceId: string | null;

  @Field(() => Float, { nullable: true, description: 'How long it took in ms.' })
  durationMs: number | null;

  @Field(() => Int, { nullable: true, description: 'How many attempts a call took.' })
  attempts: number | null;

  @Field(() => JsonScalar, {
    description: 'Attempts, stages and scores of a call; before and after of a change; the reason of a transition.',
  })
  details: unknown;
}

export const AuditEntryConnection = connectionOf(AuditEntryType, 'AuditEntry');

@InputType('AuditFilter', { description: 'Which entries; what is given must all match.' })
export class AuditFilter {
  @Field(() => [AuditKindEnum], { nullable: true, description: 'Of one of these kinds.' })
  kinds?: readonly AuditKind[] | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'That happened at this time or later.' })
  from?: Date | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'That happened before this time.' })
  to?: Date | null;

  @Field(() => String, { nullable: true, description: 'By this actor, or on its behalf.' })
  caller?: string | null;

  @Field(() => String, { nullable: true, description: 'About this target.' })
  target?: string | null;

  @Field(() => String, { nullable: true, description: 'Of this capability.' })
  capability?: string | null;

  @Field(() => String, { nullable: true, description: 'With this outcome; `FAILED` is everything but `OK`.' })
  outcome?: string | null;

  @Field(() => String, { nullable: true, description: 'Of this request.' })
  requestId?: string | null;

  @Field(() => String, { nullable: true, description: 'Of this trace.' })
  traceId?: string | null;

  @Field(() => String, { nullable: true, description: 'With this action.' })
  action?: string | null;
}

@ObjectType('AuditFeedEvent', { description: 'The next item of the audit feed.' })
export class AuditFeedEventType {
  @Field(() => StreamEventKindEnum, { description: 'What it is.' })
  kind: keyof typeof StreamEventKindEnum;

  @Field(() => String, { description: 'What `after` takes to go on from here.' })
  position: string;

  @Field(() => [AuditEntryType], { description: 'New entries, oldest first; empty for a checkpoint or resync.' })
  entries: readonly AuditEntryType[];

  @Field(() => String, { nullable: true, description: 'Why a resync is needed.' })
  reason: string | null;
}
