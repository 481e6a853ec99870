import { operation } from '@/graphql/operation';

export interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly createdBy: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
}

export const TOKEN_FIELDS = 'id name prefix createdBy createdAt expiresAt revokedAt lastUsedAt';

export interface IssueTokenInput {
  readonly namespace: string;
  readonly kind: 'AGENT' | 'APP';
  readonly agent?: string;
  readonly name: string;
  readonly expiresAt?: string;
}

export const ISSUE_TOKEN = operation<
  { issueToken: { secret: string; token: { id: string } } },
  { input: IssueTokenInput }
>(`
  mutation IssueToken($input: IssueTokenInput!) { issueToken(input: $input) { secret token { id } } }
`);

export const REVOKE_TOKEN = operation<{ revokeToken: { id: string } }, { id: string }>(`
  mutation RevokeToken($id: ID!) { revokeToken(id: $id) { id } }
`);
