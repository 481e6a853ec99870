import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { connectionOf } from '../connection.js';
import { DateTimeScalar } from '../scalars/datetime.scalar.js';
import { NamespaceCanaryPatch, NamespaceCanaryType } from './canaries.types.js';

@ObjectType('Namespace', { description: 'A business domain; everything else belongs to one.' })
export class NamespaceType {
  @Field(() => ID, { description: 'Its id: lower-case letters, digits, and inner `.`, `_` and `-`.' })
  id: string;

  @Field(() => String, { description: 'What it is for.' })
  description: string;

  @Field(() => NamespaceCanaryType, { description: 'How new versions of its agents are tried out.' })
  canary: NamespaceCanaryType;

  @Field(() => Int, { description: 'Grows with each change; `expectedVersion` of an update.' })
  version: number;

  @Field(() => DateTimeScalar, { description: 'When it was created.' })
  createdAt: Date;

  @Field(() => DateTimeScalar, { description: 'When it was last changed.' })
  updatedAt: Date;
}

export const NamespaceConnection = connectionOf(NamespaceType, 'Namespace');

@InputType('CreateNamespaceInput', { description: 'A new namespace.' })
export class CreateNamespaceInput {
  @Field(() => String, { description: 'Its id: lower-case letters, digits, and inner `.`, `_` and `-`; at most 64.' })
  id: string;

  @Field(() => String, { nullable: true, description: 'What it is for; at most 2,000 characters.' })
  description?: string | null;
}

@InputType('NamespacePatch', { description: 'Changes of a namespace. What is absent stays.' })
export class NamespacePatch {
  @Field(() => String, { nullable: true, description: 'What it is for; null clears it.' })
  description?: string | null;

  @Field(() => NamespaceCanaryPatch, {
    nullable: true,
    description: 'How new versions of its agents are tried out; null gives back the usual settings.',
  })
  canary?: NamespaceCanaryPatch | null;
}
