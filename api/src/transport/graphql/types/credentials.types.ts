import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import type { Role } from '../../../governance/access/principal.js';
import { connectionOf } from '../connection.js';
import { enumType } from '../enum-type.js';
import { DateTimeScalar } from '../scalars/datetime.scalar.js';
import { RoleEnum } from './enums.types.js';

export const TokenKindEnum = enumType('TokenKind', 'Whose credential a token is.', {
  AGENT: 'Of one agent: it joins as that agent and calls as it.',
  APP: 'Of a program: it uses the API with its role, and calls as `app:namespace/name`.',
});
export type TokenKind = keyof typeof TokenKindEnum;

@ObjectType('Token', { description: 'A credential of an agent or a program. The secret itself is not stored.' })
export class TokenType {
  @Field(() => ID, { description: 'Its id.' })
  id: string;

  @Field(() => TokenKindEnum, { description: 'Whose it is.' })
  kind: TokenKind;

  @Field(() => String, { description: 'Its namespace.' })
  namespace: string;

  @Field(() => String, { description: 'Its name.' })
  name: string;

  @Field(() => String, { description: 'First characters of the secret, to tell tokens apart.' })
  prefix: string;

  @Field(() => String, { nullable: true, description: 'Its agent, `namespace/id`; null for a program.' })
  agent: string | null;

  @Field(() => RoleEnum, { nullable: true, description: 'The role of a program in the namespace; null for an agent.' })
  role: Role | null;

  @Field(() => String, { description: 'Who issued it.' })
  createdBy: string;

  @Field(() => DateTimeScalar, { description: 'When it was issued.' })
  createdAt: Date;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it ends; null: not by itself.' })
  expiresAt: Date | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was revoked.' })
  revokedAt: Date | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was last used, to the minute or so.' })
  lastUsedAt: Date | null;
}

export const TokenConnection = connectionOf(TokenType, 'Token');

@ObjectType('IssuedToken', { description: 'A new token with its secret, which is shown this once.' })
export class IssuedToken {
  @Field(() => TokenType, { description: 'The token.' })
  token: TokenType;

  @Field(() => String, { description: 'The secret; keep it now, it cannot be shown again.' })
  secret: string;
}

@ObjectType('EnrolmentKey', { description: 'A key by which many agents join a namespace.' })
export class EnrolmentKeyType {
  @Field(() => ID, { description: 'Its id.' })
  id: string;

  @Field(() => String, { description: 'Its namespace.' })
  namespace: string;

  @Field(() => String, { description: 'Its name.' })
  name: string;

  @Field(() => String, { description: 'First characters of the secret, to tell keys apart.' })
  prefix: string;

  @Field(() => Int, { nullable: true, description: 'How many agents it may create; null: any number.' })
  maxUses: number | null;

  @Field(() => Int, { description: 'How many agents it has created.' })
  uses: number;

  @Field(() => String, { description: 'Who issued it.' })
  createdBy: string;

  @Field(() => DateTimeScalar, { description: 'When it was issued.' })
  createdAt: Date;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it ends; null: not by itself.' })
  expiresAt: Date | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was revoked.' })
  revokedAt: Date | null;
}

export const EnrolmentKeyConnection = connectionOf(EnrolmentKeyType, 'EnrolmentKey');

@ObjectType('IssuedEnrolmentKey', { description: 'A new enrolment key with its secret, which is shown this once.' })
export class IssuedEnrolmentKey {
  @Field(() => EnrolmentKeyType, { description: 'The key.' })
  key: EnrolmentKeyType;

  @Field(() => String, { description: 'The secret; keep it now, it cannot be shown again.' })
  secret: string;
}

@InputType('IssueTokenInput', { description: 'A token to issue.' })
export class IssueTokenInput {
  @Field(() => String, { description: 'The namespace that it belongs to.' })
  namespace: string;

  @Field(() => TokenKindEnum, { description: 'Whose it is to be.' })
  kind: TokenKind;

  @Field(() => String, { nullable: true, description: "The agent's id within the namespace, for kind AGENT." })
  agent?: string | null;

  @Field(() => String, { description: 'Its name.' })
  name: string;

  @Field(() => RoleEnum, { nullable: true, description: "The program's role in the namespace, for kind APP." })
  role?: Role | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it ends; absent: not by itself.' })
  expiresAt?: Date | null;
}

@InputType('IssueEnrolmentKeyInput', { description: 'An enrolment key to issue.' })
export class IssueEnrolmentKeyInput {
  @Field(() => String, { description: 'The namespace that agents join with it.' })
  namespace: string;

  @Field(() => String, { description: 'Its name.' })
  name: string;

  @Field(() => Int, { nullable: true, description: 'How many agents it may create; absent: any number.' })
  maxUses?: number | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it ends; absent: not by itself.' })
  expiresAt?: Date | null;
}
