import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { DateTimeScalar } from '../scalars/datetime.scalar.js';
import { JsonScalar } from '../scalars/json.scalar.js';
import { PolicyTestResultType } from './policy-tests.types.js';
import { PolicyFieldChangeType } from './policy-versions.types.js';

@InputType('PolicyDraftInput', { description: 'A policy that is not saved, to be tried.' })
export class PolicyDraftInput {
  @Field(() => String, { description: 'The namespace that it would belong to.' })
  namespace: string;

  @Field(() => ID, { nullable: true, description: 'The policy that it would replace; absent: it would be a new one.' })
  id?: string | null;

  @Field(() => String, { nullable: true, description: 'Its name; default: that of the policy which it would replace.' })
  name?: string | null;

  @Field(() => JsonScalar, { description: 'Its whole content; what is left out takes its default.' })
  content: unknown;

  @Field(() => JsonScalar, {
    nullable: true,
    description: 'Its tests; absent: the saved tests of the policy which it would replace.',
  })
  tests?: unknown;
}

@ObjectType('FieldFault', { description: 'What is wrong with a field.' })
export class FieldFaultType {
  @Field(() => String, { description: 'The field, such as `content.timeoutMs`.' })
  path: string;

  @Field(() => String, { description: 'What it holds.' })
  got: string;

  @Field(() => String, { description: 'What it may hold.' })
  allowed: string;
}

@ObjectType('PolicyCheck', { description: 'What a save of a draft would come to.' })
export class PolicyCheckType {
  @Field(() => [FieldFaultType], { description: 'What would refuse the save, tests that fail included.' })
  faults: readonly FieldFaultType[];

  @Field(() => [String], { description: 'What is probably not meant so, such as an agent that does not exist.' })
  warnings: readonly string[];

  @Field(() => Float, {
    nullable: true,
    description: 'Longest time that a call under it could take in ms; null while the content has faults.',
  })
  worstCaseMs: number | null;

  @Field(() => [PolicyTestResultType], { description: 'How its tests end; empty while the content has faults.' })
  tests: readonly PolicyTestResultType[];

  @Field(() => [PolicyFieldChangeType], {
    description: 'What it changes against the policy which it would replace, else against the defaults.',
  })
  changes: readonly PolicyFieldChangeType[];
}

@ObjectType('DraftMove', { description: 'Recent calls that would all go the same other way under a draft.' })
export class DraftMoveType {
  @Field(() => String, { nullable: true, description: 'The agent that they went to; null: nobody was chosen.' })
  from: string | null;

  @Field(() => String, { nullable: true, description: 'The instance that they went to; null: nobody was chosen.' })
  fromInstance: string | null;

  @Field(() => String, { description: '`OK`, or the error code that they got.' })
  fromOutcome: string;

  @Field(() => String, {
    nullable: true,
    description: 'The agent that they would go to; null: nobody would be chosen.',
  })
  to: string | null;

  @Field(() => String, { nullable: true, description: 'The instance that they would go to.' })
  toInstance: string | null;

  @Field(() => String, { description: '`OK`, or the error code that they would get.' })
  toOutcome: string;

  @Field(() => Int, { description: 'How many.' })
  calls: number;
}

@ObjectType('DraftUnknown', { description: 'Why it cannot be told what would have become of recent calls.' })
export class DraftUnknownType {
  @Field(() => String, { description: 'Why.' })
  reason: string;

  @Field(() => Int, { description: 'How many calls; one can have several reasons.' })
  calls: number;
}

@ObjectType('DraftReplay', {
  description:
    'What would have become of recent calls under a draft, by the code that decides, with the states of then.',
})
export class DraftReplayType {
  @Field(() => Int, { description: "Recorded calls to agents of the draft's namespace, of the last hour." })
  recorded: number;

  @Field(() => Int, { description: 'One of so many calls is recorded at present; 1: all.' })
  recordedEvery: number;

  @Field(() => Int, { description: 'How many of them were replayed; fewer than `recorded` when it took too long.' })
  replayed: number;

  @Field(() => Int, { description: 'Calls that the draft decides, or that the policy which it would replace decided.' })
  concerned: number;

  @Field(() => Int, { description: 'Concerned calls that would go to another instance or end another way.' })
  moved: number;

  @Field(() => Int, { description: 'Replayed calls of which it cannot be told; they are neither concerned nor moved.' })
  unknown: number;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When the oldest replayed call was decided.' })
  since: Date | null;

  @Field(() => [DraftMoveType], { description: 'From where to where calls would move; the 200 most frequent ways.' })
  moves: readonly DraftMoveType[];

  @Field(() => Int, { description: 'Moved calls that would take a way which is not listed.' })
  movesLeftOut: number;

  @Field(() => [DraftUnknownType], { description: 'Why it cannot be told, the most frequent reasons first.' })
  unknownReasons: readonly DraftUnknownType[];
}
