import type { AuditRecorder, JsonObject, WireError } from '@agent-reach/sdk/protocol';
import { ERRORS, ReachError } from '@agent-reach/sdk/protocol';
import { serialize } from 'cookie';
import express, { type ErrorRequestHandler, type Request, type Response, Router } from 'express';
import { sessionSecret } from '../../governance/access/principal-of.js';
import { SESSION_COOKIE, type Sessions, type StartedSession } from '../../governance/access/sessions.js';
import type { SignInLinks } from '../../governance/access/sign-in-links.js';
import type { SignInThrottle } from '../../governance/access/sign-in-throttle.js';

const MAX_BODY_BYTES = 4096;
const MAX_NAME_LENGTH = 64;
/** The browser keeps the cookie longer than any session lives; the server decides when it is over. */
const COOKIE_MAX_AGE_S = 7 * 24 * 3600;

export interface AuthRoutesOptions {
  readonly sessions: Pick<Sessions, 'signIn' | 'end'>;
  readonly links: Pick<SignInLinks, 'spend'>;
  readonly throttle: SignInThrottle;
  /** Takes failed sign-ins. What succeeds is audited with the session it begins or ends. */
  readonly recorder: AuditRecorder;
  /** Whether the request comes from a page of ours. */
  readonly fromOwnPage: (req: Request) => boolean;
  /** The client's address, trusted proxies considered. */
  readonly addressOf: (req: Request) => string;
  /** Whether people reach the console over https, so that the cookie travels over nothing else. */
  readonly secureCookies: boolean;
  readonly now?: () => number;
  /** What failed by the server's own fault. */
  readonly onError?: (error: unknown) => void;
}

/**
 * `POST /auth/link` {token, password}, `POST /auth/sign-in` {name, password}, `POST /auth/sign-out`: 204 with the
 * session's cookie set or cleared, or the error's status with `{error: WireError}`.
 */
export function authRoutes(options: AuthRoutesOptions): Router {
  const { sessions, links, throttle, recorder, addressOf } = options;
  const now = options.now ?? Date.now;

  const refused = (target: string, error: unknown, details: JsonObject): void => {
    if (!(error instanceof ReachError) || error.code !== 'UNAUTHENTICATED') return;
    recorder.record({
      occurredAt: now(),
      kind: 'REFUSAL',
      namespace: '',
      action: 'refusal.UNAUTHENTICATED',
      actor: 'system',
      target,
      outcome: error.code,
      details: { ...details, reason: error.message },
    });
  };

  const guarded = async (
    req: Request,
    target: { readonly name: string | undefined; readonly audited: string },
    begin: (address: string) => Promise<StartedSession>,
  ): Promise<StartedSession> => {
    const address = addressOf(req);
    const succeeded = throttle.attempt(address, target.name);
    try {
      const session = await begin(address);
      succeeded();
      return session;
    } catch (error) {
      // Only wrong guesses count; a database that is away or a password too short is no guess.
      if (error instanceof ReachError && error.code !== 'UNAUTHENTICATED') succeeded();
      refused(target.audited, error, { address, way: req.path });
      throw error;
    }
  };

  const setCookie = (res: Response, value: string, maxAge: number): void => {
    const attributes = { httpOnly: true, sameSite: 'lax', secure: options.secureCookies, path: '/', maxAge } as const;
    res.setHeader('Set-Cookie', serialize(SESSION_COOKIE, value, attributes));
  };

  const router = Router();
  // Only below /auth: the router stands among others.
  router.use('/auth', (req, res, next) => {
    res.setHeader('Cache-Control', 'no-store');
    if (options.fromOwnPage(req)) next();
    else next(new ReachError('DENIED', 'This request must come from a page of the console.'));
  });
  router.use('/auth', express.json({ limit: MAX_BODY_BYTES, type: 'application/json' }));

  router.post('/auth/link', async (req, res) => {
    const body = fieldsOf(req, ['token', 'password']);
    const target = { name: undefined, audited: 'sign-in link' };
    const session = await guarded(req, target, (address) => links.spend(body.token, body.password, address));
    setCookie(res, session.secret, COOKIE_MAX_AGE_S);
    res.status(204).end();
  });

  router.post('/auth/sign-in', async (req, res) => {
    const body = fieldsOf(req, ['name', 'password']);
    const name = body.name.slice(0, MAX_NAME_LENGTH + 1);
    const target = { name, audited: `user:${name}` };
    const session = await guarded(req, target, (address) => sessions.signIn(name, body.password, address));
    setCookie(res, session.secret, COOKIE_MAX_AGE_S);
    res.status(204).end();
  });

  router.post('/auth/sign-out', async (req, res) => {
    const secret = sessionSecret(req);
    if (secret !== undefined) await sessions.end(secret);
    setCookie(res, '', 0);
    res.status(204).end();
  });

  router.use('/auth', errorAnswer(options.onError ?? (() => {})));
  return router;
}

/** The named fields of a JSON body, each a string. Throws INVALID_INPUT with all faults at once. */
function fieldsOf<K extends string>(req: Request, names: readonly K[]): Readonly<Record<K, string>> {
  const body: unknown = req.body;
  const entries = names.map((name) => {
    const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
    return [name, value] as const;
  });
  const fields = entries
    .filter(([, value]) => typeof value !== 'string')
    .map(([path, value]) => ({ path, got: value === undefined ? 'nothing' : typeof value, allowed: 'a string' }));
  if (fields.length > 0) {
    throw new ReachError('INVALID_INPUT', 'The body must be a JSON object, sent as application/json.', { fields });
  }
  return Object.fromEntries(entries) as Record<K, string>;
}

function errorAnswer(onError: (error: unknown) => void): ErrorRequestHandler {
  return (thrown: unknown, _req, res, next) => {
    if (res.headersSent) {
      next(thrown);
      return;
    }
    const error = reachErrorOf(thrown);
    if (error.code === 'INTERNAL') onError(thrown);
    if (error.retryAfterMs !== undefined) res.setHeader('Retry-After', Math.ceil(error.retryAfterMs / 1000));
    const body: { readonly error: WireError } = { error: error.toWire() };
    res.status(ERRORS[error.code].status).json(body);
  };
}

function reachErrorOf(thrown: unknown): ReachError {
  if (thrown instanceof ReachError) return thrown;
  const type: unknown = typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, 'type') : undefined;
  if (type === 'entity.too.large') {
    return new ReachError('PAYLOAD_TOO_LARGE', `The body is larger than ${MAX_BODY_BYTES} bytes.`);
  }
  if (typeof type === 'string' && /^(?:entity|encoding|charset|request|stream)\./.test(type)) {
    return new ReachError('INVALID_INPUT', 'The body is not JSON in UTF-8.');
  }
  return new ReachError('INTERNAL', 'A fault of the server; its log has the details.', { cause: thrown });
}
