import { Field, ObjectType } from 'type-graphql';
import type { Principal, Role } from '../../../governance/access/principal.js';
import { enumType } from '../enum-type.js';
import { RoleEnum } from './enums.types.js';

export const ViewerKindEnum = enumType('ViewerKind', 'What kind of caller is signed in.', {
  USER: 'A person.',
  APP: 'A program with an API token.',
});

@ObjectType('RoleBinding', { description: 'A role in one namespace or in all.' })
export class RoleBindingType {
  @Field(() => String, { nullable: true, description: 'The namespace; null: all.' })
  namespace: string | null;

  @Field(() => RoleEnum, { description: 'The role.' })
  role: Role;
}

@ObjectType('ActionPermission', { description: 'Whether the viewer may do something, and why not.' })
export class ActionPermissionType {
  @Field(() => String, { description: 'What it is about, such as `policies.write`.' })
  action: string;

  @Field(() => Boolean, { description: 'Whether the viewer may.' })
  allowed: boolean;

  @Field(() => String, { nullable: true, description: 'What is missing; null when allowed.' })
  reason: string | null;
}

@ObjectType('Viewer', { description: 'Who is signed in.' })
export class ViewerType {
  @Field(() => String, { description: 'Name to show.' })
  name: string;

  @Field(() => String, { description: 'As whom calls are sent: `user:name` or `app:namespace/name`.' })
  caller: string;

  @Field(() => ViewerKindEnum, { description: 'A person or a program.' })
  kind: keyof typeof ViewerKindEnum;

  @Field(() => [RoleBindingType], { description: 'The roles.' })
  roles: readonly RoleBindingType[];

  /** What the resolver of `permissions` reads. */
  readonly principal: Principal;
}
