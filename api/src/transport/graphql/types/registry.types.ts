import type { AgentKind } from '@agent-reach/sdk/protocol';
import { Field, ID, InputType, ObjectType } from 'type-graphql';
import type { Domain } from '../../../perceive/model.js';
import { AgentKindEnum, DomainEnum, StreamEventKindEnum } from './enums.types.js';

@ObjectType('RegisteredVersion', { description: 'A version of an agent, as it registered.' })
export class RegisteredVersionType {
  @Field(() => String, { description: 'As the agent names it, such as `1.4.2`.' })
  version: string;

  @Field(() => DomainEnum, { description: 'Which traffic it gets.' })
  domain: Domain;

  @Field(() => [String], { description: 'Names of its capabilities.' })
  capabilities: readonly string[];
}

@ObjectType('RegisteredAgent', { description: 'An agent as it is registered, whether or not it can be reached.' })
export class RegisteredAgentType {
  @Field(() => ID, { description: '`namespace/id`' })
  agent: string;

  @Field(() => String, { description: 'Its namespace.' })
  namespace: string;

  @Field(() => String, { description: 'Its type, such as `operations.agent`.' })
  type: string;

  @Field(() => AgentKindEnum, { description: 'What kind of thing it is.' })
  kind: AgentKind;

  @Field(() => String, { description: 'What it does.' })
  description: string;

  @Field(() => String, { description: 'Who answers for it.' })
  owner: string;

  @Field(() => Boolean, { description: 'Whether an operator paused it.' })
  paused: boolean;

  @Field(() => [RegisteredVersionType], { description: 'Its versions, the latest registered first.' })
  versions: readonly RegisteredVersionType[];

  @Field(() => Boolean, { description: 'It was deleted; as it was before.' })
  deleted: boolean;
}

@ObjectType('RegistryEvent', { description: 'The next item of the stream of what is registered.' })
export class RegistryEventType {
  @Field(() => StreamEventKindEnum, { description: 'What it is.' })
  kind: keyof typeof StreamEventKindEnum;

  @Field(() => String, { description: 'What `after` takes to go on from here.' })
  position: string;

  @Field(() => [RegisteredAgentType], { description: 'SNAPSHOT: all; CHANGE: the one that changed; else none.' })
  agents: readonly RegisteredAgentType[];

  @Field(() => String, { nullable: true, description: 'Why a resync is needed.' })
  reason: string | null;
}

@InputType('RegistryFilterInput', {
  description:
    'Which agents; what is given must all match. One that you had and that no longer matches is told once more.',
})
export class RegistryFilterInput {
  @Field(() => String, { nullable: true, description: 'Of this namespace.' })
  namespace?: string | null;

  @Field(() => String, { nullable: true, description: 'This agent, `namespace/id`.' })
  agent?: string | null;

  @Field(() => String, { nullable: true, description: 'Of exactly this type.' })
  type?: string | null;

  @Field(() => String, { nullable: true, description: 'Of which a version has this capability, by name.' })
  capability?: string | null;
}
