import { Field, ObjectType } from 'type-graphql';

@ObjectType('PolicyTestFault', { description: 'In what a decision was not what a saved test expects.' })
export class PolicyTestFaultType {
  @Field(() => String, { description: 'What differs, such as `expect.chosen`.' })
  path: string;

  @Field(() => String, { nullable: true, description: 'What the test expects; null: nothing.' })
  expected: string | null;

  @Field(() => String, { nullable: true, description: 'What came; null: nothing.' })
  got: string | null;
}

@ObjectType('PolicyTestResult', { description: 'How a saved test of a policy ended.' })
export class PolicyTestResultType {
  @Field(() => String, { description: "The test's name." })
  name: string;

  @Field(() => Boolean, { description: 'Whether the decision was what the test expects.' })
  passed: boolean;

  @Field(() => [PolicyTestFaultType], { description: 'In what it was not; empty when the test passed.' })
  faults: readonly PolicyTestFaultType[];
}
