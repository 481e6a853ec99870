import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { connectionOf } from '../connection.js';
import { enumType } from '../enum-type.js';
import { DateTimeScalar } from '../scalars/datetime.scalar.js';

export const PermissionEffectEnum = enumType('PermissionEffect', 'What a permission rule does.', {
  ALLOW: 'Allows what it matches.',
  DENY: 'Denies what it matches; wins over every ALLOW.',
});
export type PermissionEffect = keyof typeof PermissionEffectEnum;

export const PermissionStatusEnum = enumType('PermissionStatus', 'Whether a permission rule counts.', {
  ACTIVE: 'It counts, until it expires.',
  PENDING: "Its caller is of another namespace; it counts once an admin of the target's namespace approved it.",
  REJECTED: 'It was rejected and does not count.',
});
export type PermissionStatus = keyof typeof PermissionStatusEnum;

@ObjectType('Permission', { description: 'A rule: which caller may call what.' })
export class PermissionType {
  @Field(() => ID, { description: 'Its id.' })
  id: string;

  @Field(() => String, { description: "Its namespace, which is the target's." })
  namespace: string;

  @Field(() => String, { description: 'A caller or a pattern, such as `agent:shop/orders` or `role:clerk`.' })
  caller: string;

  @Field(() => String, { description: 'An agent `namespace/id`, or a pattern.' })
  target: string;

  @Field(() => String, { description: "A capability's name, or a pattern." })
  capability: string;

  @Field(() => PermissionEffectEnum, { description: 'What it does.' })
  effect: PermissionEffect;

  @Field(() => PermissionStatusEnum, { description: 'Whether it counts.' })
  status: PermissionStatus;

  @Field(() => String, { description: 'Why it exists.' })
  comment: string;

  @Field(() => String, { description: 'Who created it.' })
  createdBy: string;

  @Field(() => DateTimeScalar, { description: 'When it was created.' })
  createdAt: Date;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it stops to count; null: never.' })
  expiresAt: Date | null;

  @Field(() => Int, { description: 'Grows with each change; `expectedVersion` of an update.' })
  version: number;
}

export const PermissionConnection = connectionOf(PermissionType, 'Permission');

@ObjectType('PermissionCheck', { description: 'Whether a caller may call something, and why.' })
export class PermissionCheck {
  @Field(() => Boolean, { description: 'Whether the call would be let through.' })
  allowed: boolean;

  @Field(() => PermissionType, { nullable: true, description: 'The rule that decides; null when none matches.' })
  rule: PermissionType | null;

  @Field(() => String, { description: 'The decision in a sentence.' })
  reason: string;
}

@InputType('PermissionFilter', { description: 'Which rules; what is given must all match.' })
export class PermissionFilter {
  @Field(() => String, { nullable: true, description: 'Part of the caller, target, capability or comment.' })
  search?: string | null;

  @Field(() => String, { nullable: true, description: 'With exactly this caller or pattern.' })
  caller?: string | null;

  @Field(() => String, { nullable: true, description: 'With exactly this target or pattern.' })
  target?: string | null;

  @Field(() => PermissionEffectEnum, { nullable: true, description: 'With this effect.' })
  effect?: PermissionEffect | null;
}

@InputType('CreatePermissionInput', {
  description: 'A new rule. Each pattern is exact, `*`, or a prefix ending in `*` after `.`, `_`, `-` or `/`.',
})
export class CreatePermissionInput {
  @Field(() => String, { nullable: true, description: "The target's namespace; default: as the target names it." })
  namespace?: string | null;

  @Field(() => String, {
    description: '`agent:namespace/id`, `app:namespace/name`, `user:name`, `role:name`, a pattern of these, or `*`.',
  })
  caller: string;

  @Field(() => String, { description: 'An agent `namespace/id`, or a pattern such as `shop/*`.' })
  target: string;

  @Field(() => String, { description: "A capability's name, or a pattern." })
  capability: string;

  @Field(() => PermissionEffectEnum, { description: 'What the rule does.' })
  effect: PermissionEffect;

  @Field(() => String, { nullable: true, description: 'Why; at most 2,000 characters.' })
  comment?: string | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it stops to count; absent: never.' })
  expiresAt?: Date | null;
}

@InputType('PermissionPatch', { description: 'Changes of a rule. What is absent stays; null clears.' })
export class PermissionPatch {
  @Field(() => String, { nullable: true, description: 'Why it exists.' })
  comment?: string | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it stops to count; null: never.' })
  expiresAt?: Date | null;

  @Field(() => PermissionEffectEnum, { nullable: true, description: 'What it does.' })
  effect?: PermissionEffect | null;
}
