import type { Health, Lifecycle } from '@agent-reach/sdk/protocol';
import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { DateTimeScalar } from '../scalars/datetime.scalar.js';
import { HealthEnum, LifecycleEnum, StreamEventKindEnum } from './enums.types.js';

@ObjectType('InstanceHealth', { description: "One instance's state; (incarnation, version) orders its changes." })
export class InstanceHealthType {
  @Field(() => ID, { description: '`namespace/agent/instance`' })
  instance: string;

  @Field(() => String, { description: 'Its agent, `namespace/id`.' })
  agent: string;

  @Field(() => String, { description: 'One life of its process, named by the process.' })
  incarnation: string;

  @Field(() => Int, { description: 'Grows with each change of this incarnation.' })
  version: number;

  @Field(() => LifecycleEnum, { description: 'Where it is in its life.' })
  lifecycle: Lifecycle;

  @Field(() => HealthEnum, { description: 'How well it can be reached.' })
  health: Health;

  @Field(() => String, { description: 'Why it is in this state.' })
  reason: string;

  @Field(() => [String], { description: 'Names of the capabilities that it offers.' })
  capabilities: readonly string[];

  @Field(() => String, { description: 'Where it runs.' })
  zone: string;

  @Field(() => Int, { description: 'Calls that run on it.' })
  inFlight: number;

  @Field(() => Int, { description: 'Calls that wait in it, as it last reported.' })
  queueDepth: number;

  @Field(() => Float, { nullable: true, description: '0 to 1; null while nothing was reported.' })
  utilisation: number | null;

  @Field(() => DateTimeScalar, { description: 'When its state changed.' })
  changedAt: string;
}

@ObjectType('HealthEvent', { description: 'The next item of the health stream.' })
export class HealthEventType {
  @Field(() => StreamEventKindEnum, { description: 'What it is.' })
  kind: keyof typeof StreamEventKindEnum;

  @Field(() => String, { description: 'What `after` takes to go on from here.' })
  position: string;

  @Field(() => [InstanceHealthType], { description: 'SNAPSHOT: all; CHANGE: the one that changed; else none.' })
  instances: readonly InstanceHealthType[];

  @Field(() => String, { nullable: true, description: 'Why a resync is needed.' })
  reason: string | null;
}

@InputType('HealthFilterInput', {
  description:
    'Which instances; what is given must all match. One that you had and that no longer matches is told once more.',
})
export class HealthFilterInput {
  @Field(() => String, { nullable: true, description: 'Of this namespace.' })
  namespace?: string | null;

  @Field(() => String, { nullable: true, description: 'Of this agent, `namespace/id`.' })
  agent?: string | null;

  @Field(() => String, { nullable: true, description: 'That offer this capability.' })
  capability?: string | null;

  @Field(() => [LifecycleEnum], { nullable: true, description: 'In one of these states of life.' })
  lifecycle?: readonly Lifecycle[] | null;

  @Field(() => [HealthEnum], { nullable: true, description: 'With one of these healths.' })
  health?: readonly Health[] | null;
}
