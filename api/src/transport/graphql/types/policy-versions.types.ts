import { Field, Int, ObjectType } from 'type-graphql';
import { connectionOf } from '../connection.js';
import { DateTimeScalar } from '../scalars/datetime.scalar.js';
import { JsonScalar } from '../scalars/json.scalar.js';

@ObjectType('PolicyFieldChange', { description: 'One field that two contents of a policy hold differently.' })
export class PolicyFieldChangeType {
  @Field(() => String, { description: "From the content's root, such as `retry.maxRetries`; lists are one field." })
  path: string;

  @Field(() => JsonScalar, { nullable: true, description: 'What it was; null also where there was none.' })
  before: unknown;

  @Field(() => JsonScalar, { nullable: true, description: 'What it is; null also where there is none.' })
  after: unknown;
}

@ObjectType('PolicyVersion', { description: 'One saved version of a policy.' })
export class PolicyVersionType {
  @Field(() => Int, { description: 'Its number, from 1.' })
  version: number;

  @Field(() => JsonScalar, { description: 'What it says, with every default filled in.' })
  content: unknown;

  @Field(() => JsonScalar, {
    description: 'The tests that were saved with it: a list in the format of a decision case.',
  })
  tests: unknown;

  @Field(() => String, { description: 'Who saved it.' })
  author: string;

  @Field(() => String, { description: 'What the author wrote about it.' })
  comment: string;

  @Field(() => Int, {
    description: 'Share of the calls that it is for, in percent; as it was last, for one that is no longer the newest.',
  })
  rolloutPercent: number;

  @Field(() => DateTimeScalar, { description: 'When it was saved.' })
  createdAt: Date;

  @Field(() => Int, { nullable: true, description: 'The earlier version that it brought back, where it did.' })
  restoredFrom: number | null;

  @Field(() => [PolicyFieldChangeType], {
    description: 'What it changed against the version before; the first against the defaults.',
  })
  changes: readonly PolicyFieldChangeType[];
}

export const PolicyVersionConnection = connectionOf(PolicyVersionType, 'PolicyVersion');
