import type { CapabilityMode, JsonSchema } from '@agent-reach/sdk/protocol';
import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { connectionOf } from '../connection.js';
import { JsonScalar } from '../scalars/json.scalar.js';
import { CapabilityModeEnum } from './enums.types.js';

@ObjectType('Capability', { description: 'What a version of an agent can do.' })
export class CapabilityType {
  @Field(() => ID, { description: 'Its id.' })
  id: string;

  @Field(() => String, { description: 'The agent that has it, `namespace/id`.' })
  agent: string;

  @Field(() => String, { description: 'The version of the agent that declares it.' })
  agentVersion: string;

  @Field(() => String, { description: 'By which it is called.' })
  name: string;

  @Field(() => [String], { description: 'Other names that a call may use.' })
  aliases: readonly string[];

  @Field(() => String, { description: 'When to use it and what it answers.' })
  description: string;

  @Field(() => JsonScalar, { description: 'JSON Schema (2020-12) of its parameters.' })
  inputSchema: JsonSchema;

  @Field(() => JsonScalar, { nullable: true, description: 'JSON Schema (2020-12) of its result, if declared.' })
  outputSchema: JsonSchema | null;

  @Field(() => [String], { description: 'Tags to find it by.' })
  tags: readonly string[];

  @Field(() => Boolean, { description: 'Whether executing it twice is the same as executing it once.' })
  idempotent: boolean;

  @Field(() => CapabilityModeEnum, { description: 'When a call completes.' })
  mode: CapabilityMode;

  @Field(() => Int, { description: 'How long a result may be reused, in ms; 0: not at all.' })
  cacheTtlMs: number;

  @Field(() => Boolean, {
    description: 'Whether its results are the same whoever asks, so that callers may share them.',
  })
  callerIndependent: boolean;

  @Field(() => [String], { description: 'Names of the parameters that hold secrets and that it asks for.' })
  sensitive: readonly string[];

  @Field(() => [String], { description: 'Extra headers that are passed on to it.' })
  headers: readonly string[];
}

export const CapabilityConnection = connectionOf(CapabilityType, 'Capability');

@InputType('CapabilityFilter', { description: 'Which capabilities; what is given must all match.' })
export class CapabilityFilter {
  @Field(() => String, { nullable: true, description: 'Part of the name, an alias, a tag or the description.' })
  search?: string | null;

  @Field(() => String, { nullable: true, description: 'An agent, `namespace/id`.' })
  agent?: string | null;

  @Field(() => [String], { nullable: true, description: 'Tags that it must all have.' })
  tags?: readonly string[] | null;
}

@ObjectType('CapabilityMatch', { description: 'A capability that fits a text.' })
export class CapabilityMatchType {
  @Field(() => String, { description: 'The namespace that it belongs to.' })
  namespace: string;

  @Field(() => String, { description: 'By which it is called.' })
  capability: string;

  @Field(() => [String], { description: 'Other names that a call may use.' })
  aliases: readonly string[];

  @Field(() => String, { description: 'When to use it and what it answers.' })
  description: string;

  @Field(() => [String], { description: 'Tags to find it by.' })
  tags: readonly string[];

  @Field(() => Boolean, { description: 'Whether executing it twice is the same as executing it once.' })
  idempotent: boolean;

  @Field(() => CapabilityModeEnum, { description: 'When a call completes.' })
  mode: CapabilityMode;

  @Field(() => JsonScalar, {
    nullable: true,
    description: 'JSON Schema (2020-12) of its parameters; null when it is larger than 8 KiB.',
  })
  inputSchema: JsonSchema | null;

  @Field(() => Float, { description: 'How well it fits, higher is better; comparable only within one answer.' })
  score: number;
}
