import type { AgentKind, Health } from '@agent-reach/sdk/protocol';
import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { AgentRecord, AgentVersionRecord, Domain, InstanceView } from '../../../perceive/model.js';
import { connectionOf } from '../connection.js';
import { enumType } from '../enum-type.js';
import { DateTimeScalar } from '../scalars/datetime.scalar.js';
import { JsonScalar } from '../scalars/json.scalar.js';
import { AgentKindEnum, DomainEnum, HealthEnum } from './enums.types.js';

@ObjectType('AgentVersion', { description: "One version of an agent's code, as it registered." })
export class AgentVersionType {
  @Field(() => ID, { description: 'Its id.' })
  id: string;

  @Field(() => String, { description: 'As the agent names it, such as `1.4.2`.' })
  version: string;

  @Field(() => DomainEnum, { description: 'Which traffic it gets.' })
  domain: Domain;

  @Field(() => DateTimeScalar, { description: 'When it first registered.' })
  createdAt: Date;

  /** What the resolvers of the other fields read. */
  readonly record: AgentVersionRecord;
  readonly agent: Pick<AgentRecord, 'ref' | 'namespace'>;
}

@ObjectType('Agent', {
  description: 'The logical thing that can be reached, with a stable id that survives restarts.',
})
export class AgentType {
  @Field(() => ID, { description: '`namespace/id`' })
  ref: string;

  @Field(() => String, { description: 'Its id, unique in its namespace.' })
  id: string;

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

  @Field(() => JsonScalar, { description: 'Labels that it reported at registration.' })
  labels: Readonly<Record<string, string>>;

  @Field(() => JsonScalar, { description: 'Labels that operators set; they survive registrations and win.' })
  labelOverrides: Readonly<Record<string, string>>;

  @Field(() => Int, { description: 'Its share of the work against others: 0 is none, 100 the usual.' })
  weight: number;

  @Field(() => Boolean, { description: 'Whether an operator paused it.' })
  paused: boolean;

  @Field(() => [String], { description: 'Roles that it holds; permission rules may name them as `role:name`.' })
  roles: readonly string[];

  @Field(() => HealthEnum, { description: 'The best of its instances; OFFLINE without one.' })
  health: Health;

  @Field(() => String, { description: 'Why its health is what it is.' })
  healthReason: string;

  @Field(() => Int, { description: 'How many instances it has.' })
  instanceCount: number;

  @Field(() => Int, { description: 'How many of them are READY.' })
  readyCount: number;

  @Field(() => Int, { description: 'Calls that run on its instances now.' })
  inFlight: number;

  @Field(() => Int, { description: 'Grows with each change; `expectedVersion` of an update.' })
  version: number;

  @Field(() => DateTimeScalar, { description: 'When it was created.' })
  createdAt: Date;

  @Field(() => DateTimeScalar, { description: 'When it was last changed or registered with other content.' })
  updatedAt: Date;

  /** What the resolvers of the other fields read; one moment's state, so that the fields agree with each other. */
  readonly record: AgentRecord;
  readonly views: readonly InstanceView[];
}

export const AgentConnection = connectionOf(AgentType, 'Agent');

export const AgentOrderEnum = enumType('AgentOrder', 'Order of a list of agents.', {
  ID_ASC: 'By `namespace/id`.',
  ID_DESC: 'By `namespace/id`, backwards.',
  CREATED_ASC: 'Oldest first.',
  CREATED_DESC: 'Newest first.',
});
export type AgentOrder = keyof typeof AgentOrderEnum;

@InputType('AgentFilter', { description: 'Which agents; what is given must all match.' })
export class AgentFilter {
  @Field(() => String, { nullable: true, description: 'Part of the id, type, owner or description.' })
  search?: string | null;

  @Field(() => [HealthEnum], { nullable: true, description: 'With one of these healths.' })
  health?: readonly Health[] | null;

  @Field(() => String, { nullable: true, description: 'Of exactly this type.' })
  type?: string | null;

  @Field(() => AgentKindEnum, { nullable: true, description: 'Of this kind.' })
  kind?: AgentKind | null;

  @Field(() => String, { nullable: true, description: 'That offers this capability, by name or alias.' })
  capability?: string | null;
}

@InputType('CreateAgentInput', { description: 'A new agent. It can be reached once one of its instances registers.' })
export class CreateAgentInput {
  @Field(() => String, { description: 'The namespace that it belongs to.' })
  namespace: string;

  @Field(() => String, { description: 'Its id: lower-case letters, digits, and inner `.`, `_` and `-`; at most 64.' })
  id: string;

  @Field(() => String, { description: 'Its type, such as `operations.agent`.' })
  type: string;

  @Field(() => AgentKindEnum, { nullable: true, description: 'What kind of thing it is; default AGENT.' })
  kind?: AgentKind | null;

  @Field(() => String, { nullable: true, description: 'What it does; at most 2,000 characters.' })
  description?: string | null;

  @Field(() => String, { nullable: true, description: 'Who answers for it; at most 200 characters.' })
  owner?: string | null;

  @Field(() => JsonScalar, { nullable: true, description: 'Labels: an object of strings, at most 64.' })
  labels?: unknown;
}

@InputType('AgentPatch', { description: 'Changes of an agent. What is absent stays; null clears.' })
export class AgentPatch {
  @Field(() => Int, { nullable: true, description: '0 to 10,000; null gives back the usual 100.' })
  weight?: number | null;

  @Field(() => JsonScalar, {
    nullable: true,
    description: 'Merged into the overrides there are: a label with null is taken away; null takes all away.',
  })
  labelOverrides?: unknown;

  @Field(() => [String], { nullable: true, description: 'Replaces its roles.' })
  roles?: readonly string[] | null;

  @Field(() => String, { nullable: true, description: 'What it does; the next registration replaces it.' })
  description?: string | null;

  @Field(() => String, { nullable: true, description: 'Who answers for it; the next registration replaces it.' })
  owner?: string | null;
}
