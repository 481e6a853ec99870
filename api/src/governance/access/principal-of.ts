import type { IncomingHttpHeaders } from 'node:http';
import { ReachError } from '@agent-reach/sdk/protocol';
import { parse as parseCookies } from 'cookie';
import type { Authenticator } from './authenticator.js';
import type { Principal } from './principal.js';
import { SESSION_COOKIE, type Sessions } from './sessions.js';

/** The part of a request that says who sends it; an upgrade's is the same. */
export interface RequestHead {
  readonly headers: IncomingHttpHeaders;
}

/** Whether the way in takes cookies: `/graphql` and the console's routes do, nothing else. */
export interface WayIn {
  readonly cookies: boolean;
}

export type PrincipalOf = (req: RequestHead, way: WayIn) => Promise<Principal | undefined>;

export interface PrincipalOfOptions {
  readonly authenticator: Pick<Authenticator, 'authenticate'>;
  readonly sessions: Pick<Sessions, 'principalOfSession'>;
  /** Whether a cookie of this request was sent by a page of ours, and not by a stranger's page in the same browser. */
  readonly cookiesCount: (req: RequestHead) => boolean;
}

/**
 * Makes the function that says who sends a request: by `Authorization: Bearer`, else by the session cookie where that
 * counts; undefined when there is neither. A token that is sent and not valid is UNAUTHENTICATED, cookie or not.
 * Throws STORAGE_UNAVAILABLE when only the database could tell.
 */
export function createPrincipalOf({ authenticator, sessions, cookiesCount }: PrincipalOfOptions): PrincipalOf {
  return async (req, way) => {
    const token = bearerToken(req);
    if (token !== undefined) return authenticator.authenticate(token);
    if (!way.cookies) return undefined;
    const secret = sessionSecret(req);
    return secret === undefined || !cookiesCount(req) ? undefined : sessions.principalOfSession(secret);
  };
}

/** The token of `Authorization: Bearer`, or undefined without that header. Throws UNAUTHENTICATED for other schemes. */
export function bearerToken({ headers }: RequestHead): string | undefined {
  if (headers.authorization === undefined) return undefined;
  const token = /^Bearer +(\S{1,512})$/i.exec(headers.authorization.trim())?.[1];
  if (token === undefined) {
    throw new ReachError('UNAUTHENTICATED', 'The Authorization header must be "Bearer" and a token.');
  }
  return token;
}

/** The value of the session cookie, if there is one. */
export function sessionSecret({ headers }: RequestHead): string | undefined {
  return headers.cookie === undefined ? undefined : parseCookies(headers.cookie)[SESSION_COOKIE];
}
