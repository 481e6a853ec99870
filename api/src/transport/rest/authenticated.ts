import { type ErrorCode, ReachError } from '@agent-reach/sdk/protocol';
import type { NextFunction, Request, Response } from 'express';
import type { Principal } from '../../governance/access/principal.js';

export interface AuthenticatedDeps {
  /** Throws UNAUTHENTICATED, or STORAGE_UNAVAILABLE for a token that can't be looked up now. */
  readonly authenticate: (secret: string) => Promise<Principal>;
  readonly onRefused: (code: ErrorCode, address: string) => void;
}

/** Lets a request through that brings a valid bearer token, and leaves whose it is for `principalOf`. */
export function authenticated({ authenticate, onRefused }: AuthenticatedDeps) {
  return async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    const secret = /^Bearer (\S+)$/i.exec(request.get('authorization') ?? '')?.[1];
    try {
      if (secret === undefined)
        throw new ReachError('UNAUTHENTICATED', 'Send the token as "Authorization: Bearer <token>".');
      response.locals.principal = await authenticate(secret);
      next();
    } catch (error) {
      if (error instanceof ReachError && error.code === 'UNAUTHENTICATED') {
        onRefused('UNAUTHENTICATED', request.socket.remoteAddress ?? 'unknown');
      }
      next(error);
    }
  };
}

/** Whose token an authenticated request brought. */
export function principalOf(response: Response): Principal {
  return (response.locals as { readonly principal: Principal }).principal;
}
