import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import type { Principal } from '../../../governance/access/principal.js';
import { demandList } from '../access.js';
import { type Connection, ConnectionArgs } from '../connection.js';
import type { GraphqlContext } from '../context.js';
import { connection, pageRequest } from '../paging.js';
import type { GraphqlServices } from '../services.js';
import {
  EnrolmentKeyConnection,
  EnrolmentKeyType,
  IssuedEnrolmentKey,
  IssuedToken,
  IssueEnrolmentKeyInput,
  IssueTokenInput,
  TokenConnection,
  TokenType,
} from '../types/credentials.types.js';

const TOKENS = 'tokens';
const KEYS = 'enrolmentKeys';

@Resolver()
export class CredentialResolver {
  constructor(private readonly services: Pick<GraphqlServices, 'tokens' | 'enrolmentKeys'>) {}

  @Query(() => TokenConnection, { description: 'Tokens in the order of issue, ended ones included. Needs OPERATOR.' })
  async tokens(
    @Ctx() { principal }: GraphqlContext,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Arg('namespace', () => String, { nullable: true, description: 'Only of this namespace.' })
    namespace?: string | null,
    @Arg('agent', () => String, { nullable: true, description: 'Only of this agent, `namespace/id`.' })
    agent?: string | null,
  ): Promise<Connection<TokenType>> {
    const reader = within(principal, namespace);
    const page = await this.services.tokens.page(reader, { namespace, agent }, pageRequest(TOKENS, args));
    return connection(
      TOKENS,
      page,
      ({ id }) => [id],
      (token) => token,
    );
  }

  @Query(() => EnrolmentKeyConnection, {
    description: 'Enrolment keys in the order of issue, ended ones included. Needs OPERATOR.',
  })
  async enrolmentKeys(
    @Ctx() { principal }: GraphqlContext,
    @Args(() => ConnectionArgs) args: ConnectionArgs,
    @Arg('namespace', () => String, { nullable: true, description: 'Only of this namespace.' })
    namespace?: string | null,
  ): Promise<Connection<EnrolmentKeyType>> {
    const reader = within(principal, namespace);
    const page = await this.services.enrolmentKeys.page(reader, { namespace }, pageRequest(KEYS, args));
    return connection(
      KEYS,
      page,
      ({ id }) => [id],
      (key) => key,
    );
  }

  @Mutation(() => IssuedToken, {
    description: 'Issues a token; its secret is in the answer and never shown again. Needs ADMIN.',
  })
  issueToken(
    @Ctx() { principal }: GraphqlContext,
    @Arg('input', () => IssueTokenInput, { description: 'The token.' }) input: IssueTokenInput,
  ): Promise<IssuedToken> {
    return this.services.tokens.issue(principal, input);
  }

  @Mutation(() => TokenType, { description: 'Ends a token at once, with every connection that uses it. Needs ADMIN.' })
  revokeToken(
    @Ctx() { principal }: GraphqlContext,
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
  ): Promise<TokenType> {
    return this.services.tokens.revoke(principal, id);
  }

  @Mutation(() => IssuedEnrolmentKey, {
    description: 'Issues an enrolment key; its secret is in the answer and never shown again. Needs ADMIN.',
  })
  issueEnrolmentKey(
    @Ctx() { principal }: GraphqlContext,
    @Arg('input', () => IssueEnrolmentKeyInput, { description: 'The key.' }) input: IssueEnrolmentKeyInput,
  ): Promise<IssuedEnrolmentKey> {
    return this.services.enrolmentKeys.issue(principal, input);
  }

  @Mutation(() => EnrolmentKeyType, {
    description: 'Ends an enrolment key at once; the agents that it created stay. Needs ADMIN.',
  })
  revokeEnrolmentKey(
    @Ctx() { principal }: GraphqlContext,
    @Arg('id', () => ID, { description: 'Its id.' }) id: string,
  ): Promise<EnrolmentKeyType> {
    return this.services.enrolmentKeys.revoke(principal, id);
  }
}

/** The principal as far as it may read credentials. Throws NOT_FOUND and DENIED. */
function within(principal: Principal, namespace: string | null | undefined): Principal {
  return { ...principal, scope: demandList(principal, 'tokens.read', namespace) };
}
