import { Field, ObjectType } from 'type-graphql';
import type { ChecklistItemName } from '../../../perceive/checklist/checklist.js';
import { enumType } from '../enum-type.js';

export const ChecklistItemEnum = enumType('ChecklistItemName', 'One thing that an agent needs so that it gets calls.', {
  CREDENTIAL: 'Something to join with: a live token, an enrolment key.',
  CONNECTED: 'An instance that is connected, or registered as an endpoint.',
  DECLARED: 'A capability.',
  DESCRIBED: 'Schemas that say enough; advice.',
  VERIFIED: 'The server reached it; only of HTTP endpoints.',
  READY: 'An instance that calls are routed to.',
  IN_SERVICE: 'Neither paused nor of weight 0.',
  IN_PRODUCTION: 'A version in the domain of the regular traffic.',
  PERMITTED: 'A permission rule that lets somebody call it.',
  CALLED: 'A call that succeeded.',
}) satisfies { readonly [Name in ChecklistItemName]: Name };

@ObjectType('ChecklistFix', { description: 'Where in the console something can be done about it.' })
export class ChecklistFixType {
  @Field(() => String, { description: 'What is done there.' })
  label: string;

  @Field(() => String, { description: 'A path of the console, beginning with `/`; forms come filled in.' })
  path: string;
}

@ObjectType('ChecklistItem', { description: 'How one thing stands that an agent needs so that it gets calls.' })
export class ChecklistItemType {
  @Field(() => ChecklistItemEnum, { description: 'What it is about.' })
  item: ChecklistItemName;

  @Field(() => Boolean, { description: 'Whether it is so.' })
  done: boolean;

  @Field(() => Boolean, { description: 'The agent gets calls without it too.' })
  advice: boolean;

  @Field(() => String, { description: 'How it stands, in a sentence.' })
  text: string;

  @Field(() => ChecklistFixType, {
    nullable: true,
    description: 'Where to do it; null when it is done, or not done there.',
  })
  fix: ChecklistFixType | null;
}
