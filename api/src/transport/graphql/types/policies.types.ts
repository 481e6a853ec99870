import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { connectionOf } from '../connection.js';
import { DateTimeScalar } from '../scalars/datetime.scalar.js';
import { JsonScalar } from '../scalars/json.scalar.js';
import { PolicyTestResultType } from './policy-tests.types.js';

@ObjectType('Policy', { description: 'How calls choose an instance and what happens on failure; its newest version.' })
export class PolicyType {
  @Field(() => ID, { description: 'Its id.' })
  id: string;

  @Field(() => String, { description: 'Its namespace.' })
  namespace: string;

  @Field(() => String, { description: 'Its name, unique in its namespace.' })
  name: string;

  @Field(() => Int, { description: 'The version that counts; `expectedVersion` of an update.' })
  version: number;

  @Field(() => JsonScalar, { description: 'What the version says, with every default filled in.' })
  content: unknown;

  @Field(() => String, { description: 'Who saved the version.' })
  author: string;

  @Field(() => String, { description: 'What the author wrote about the version.' })
  comment: string;

  @Field(() => DateTimeScalar, { description: 'When the policy was created.' })
  createdAt: Date;

  @Field(() => DateTimeScalar, { description: 'When the version was saved.' })
  updatedAt: Date;

  @Field(() => Float, { description: 'Longest time that a call under it can take in ms: all attempts and waits.' })
  worstCaseMs: number;

  @Field(() => Int, { description: 'Share of the calls that the version is for, in percent; 100: all.' })
  rolloutPercent: number;

  @Field(() => Int, {
    description:
      'The version that the rest of the calls use: the newest earlier one that had 100 percent; 0: they go as if there were no such policy. Equals `version` at 100 percent.',
  })
  stableVersion: number;

  @Field(() => JsonScalar, {
    description: 'The saved tests: a list in the format of a decision case; run at each save.',
  })
  tests: unknown;
}

export const PolicyConnection = connectionOf(PolicyType, 'Policy');

@ObjectType('PolicySaved', { description: 'A saved policy and what is remarkable about it.' })
export class PolicySaved {
  @Field(() => PolicyType, { description: 'The policy in its newest version.' })
  policy: PolicyType;

  @Field(() => [String], { description: 'What is probably not meant so, such as a candidate that does not exist.' })
  warnings: readonly string[];

  @Field(() => [PolicyTestResultType], { description: 'How its saved tests ended.' })
  tests: readonly PolicyTestResultType[];
}

@InputType('CreatePolicyInput', { description: 'A new policy.' })
export class CreatePolicyInput {
  @Field(() => String, { description: 'The namespace that it belongs to.' })
  namespace: string;

  @Field(() => String, { description: 'Its name; at most 100 characters.' })
  name: string;

  @Field(() => JsonScalar, { description: 'Its content; what is left out takes its default.' })
  content: unknown;

  @Field(() => String, { nullable: true, description: 'Why; at most 2,000 characters.' })
  comment?: string | null;

  @Field(() => JsonScalar, {
    nullable: true,
    description: 'Tests to keep with it: a list of at most 50 decision cases. One that fails refuses the save.',
  })
  tests?: unknown;

  @Field(() => Int, {
    nullable: true,
    description:
      'Share of the calls that it is for, 1 to 100 percent; default 100. The rest goes as if there were no such policy.',
  })
  rolloutPercent?: number | null;
}

@InputType('PolicyPatch', { description: 'Changes of a policy; saving makes a new version. What is absent stays.' })
export class PolicyPatch {
  @Field(() => String, { nullable: true, description: 'Its new name.' })
  name?: string | null;

  @Field(() => JsonScalar, {
    nullable: true,
    description: 'Merged into the content there is: objects merge, lists replace, null gives back the default.',
  })
  content?: unknown;

  @Field(() => String, { nullable: true, description: 'Why; at most 2,000 characters.' })
  comment?: string | null;

  @Field(() => JsonScalar, {
    nullable: true,
    description: 'Replaces the saved tests; null: none. All must pass, or the save is refused.',
  })
  tests?: unknown;

  @Field(() => Int, {
    nullable: true,
    description:
      'Share of the calls that the new version is for, 1 to 100 percent. Absent: the share of the version before; null: 100.',
  })
  rolloutPercent?: number | null;
}
