import { ReachError } from '@agent-reach/sdk/protocol';
import { GRAPHQL_CLOSE_CODES } from './socket.js';

/** The token of a `connection_init`: `authorization: "Bearer …"`, or the token alone. Throws UNAUTHENTICATED. */
export function tokenOf(params: Record<string, unknown> | undefined): string | undefined {
  const value = params?.authorization ?? params?.Authorization;
  if (value === undefined || value === null || value === '') return undefined;
  const token = typeof value === 'string' ? /^(?:Bearer +)?(\S{1,512})$/i.exec(value.trim())?.[1] : undefined;
  if (token === undefined) throw new ReachError('UNAUTHENTICATED', 'authorization must be "Bearer" and a token.');
  return token;
}

/** With what a socket is closed whose client could not be authenticated. */
export function closingOf(error: unknown): { readonly code: number; readonly reason: string } {
  const reach = error instanceof ReachError ? error : undefined;
  const { UNAUTHENTICATED, TRY_AGAIN } = GRAPHQL_CLOSE_CODES;
  return {
    code: reach?.code === 'UNAUTHENTICATED' ? UNAUTHENTICATED : TRY_AGAIN,
    reason: reach?.message ?? 'not authenticated',
  };
}
