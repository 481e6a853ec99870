import { randomUUID } from 'node:crypto';
import { ReachError } from '@agent-reach/sdk/protocol';
import type { ApolloServer } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import express, { type ErrorRequestHandler, type Request, type RequestHandler, type Response } from 'express';
import type { GraphQLSchema } from 'graphql';
import type { Principal } from '../../governance/access/principal.js';
import type { PrincipalOf } from '../../governance/access/principal-of.js';
import type { OriginVerdict } from '../origin.js';
import { contextOf, type GraphqlContext } from './context.js';
import { type ErrorLog, formatError, statusOf } from './errors.js';
import { checkOperation, operationRequest } from './limits/check.js';
import type { GraphqlLimits } from './limits/limits.js';
import type { RefusalPorts } from './refusals.js';
import type { GraphqlServices } from './services.js';

export interface GraphqlHttpDeps extends Pick<RefusalPorts, 'onRefused'> {
  readonly schema: GraphQLSchema;
  readonly apollo: ApolloServer<GraphqlContext>;
  readonly services: GraphqlServices;
  readonly principalOf: PrincipalOf;
  readonly originVerdict: (req: Pick<Request, 'headers'>) => OriginVerdict;
  readonly limits: GraphqlLimits;
  readonly log: ErrorLog;
}

/** What the steps before execution found out about a request. */
interface Known {
  readonly requestId: string;
  readonly principal: Principal;
}

/**
 * GraphQL over HTTP as a pipeline: who asks, how large it is, what it asks; only then Apollo validates and executes.
 * Nothing of an unauthenticated request is read but its head.
 */
export function graphqlHttp(deps: GraphqlHttpDeps): (RequestHandler | ErrorRequestHandler)[] {
  const known = new WeakMap<Request, Known>();
  const execution = expressMiddleware(deps.apollo, {
    context: async ({ req, res }) => {
      const found = known.get(req);
      if (found === undefined) throw new ReachError('UNAUTHENTICATED', 'Send a valid token, or sign in.');
      return contextOf({ ...found, signal: clientGone(res), services: deps.services });
    },
  });
  const authenticate: RequestHandler = async (req, _res, next) => {
    if (deps.originVerdict(req) === 'FOREIGN') throw new ReachError('DENIED', 'Pages of this origin may not ask here.');
    const principal = mayUseGraphql(await deps.principalOf(req, { cookies: true }));
    known.set(req, { principal, requestId: randomUUID() });
    next();
  };
  const withinLimits: RequestHandler = (req, _res, next) => {
    const checked = checkOperation(deps.schema, operationRequest(req.body, deps.limits), deps.limits);
    if (checked.kind === 'subscription') {
      throw new ReachError(
        'INVALID_INPUT',
        'Subscriptions go over WebSocket (graphql-transport-ws), at the same path.',
      );
    }
    const { query, operationName, variables } = checked;
    req.body = { query, variables, ...(operationName === undefined ? {} : { operationName }) };
    next();
  };
  return [
    onlyPost,
    authenticate,
    onlyJson,
    express.json({ limit: deps.limits.bodyBytes, type: 'application/json' }),
    withinLimits,
    execution,
    failures(deps, known),
  ];
}

/**
 * Whose credential is of use here: agents and what enrols them have their own ways in. Throws UNAUTHENTICATED.
 */
export function mayUseGraphql(principal: Principal | undefined): Principal {
  if (principal === undefined) throw new ReachError('UNAUTHENTICATED', 'Send a valid token, or sign in.');
  const { kind } = principal.credential;
  if (kind === 'AGENT_TOKEN' || kind === 'ENROLMENT_KEY') {
    throw new ReachError(
      'UNAUTHENTICATED',
      'Tokens of agents and enrolment keys are of no use here; send an API token.',
    );
  }
  return principal;
}

const onlyPost: RequestHandler = (req, res, next) => {
  if (req.method === 'POST') return next();
  res
    .status(405)
    .set('Allow', 'POST')
    .json({ errors: [{ message: 'Send a POST with a JSON body.' }] });
};

const onlyJson: RequestHandler = (req, _res, next) => {
  if (req.is('application/json') !== 'application/json') {
    const got = req.headers['content-type'] ?? 'nothing';
    throw new ReachError('INVALID_INPUT', 'The body must be JSON.', {
      fields: [{ path: 'Content-Type', got, allowed: 'application/json' }],
    });
  }
  next();
};

/** Aborted when the client goes away before it has its answer. */
function clientGone(res: Response): AbortSignal {
  const controller = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) controller.abort();
  });
  return controller.signal;
}

function failures(deps: GraphqlHttpDeps, known: WeakMap<Request, Known>): ErrorRequestHandler {
  return (thrown: unknown, req, res, next) => {
    if (res.headersSent) return next(thrown);
    const error = bodyError(thrown, deps.limits);
    const status = statusOf(error);
    if (!known.has(req) && error instanceof ReachError) deps.onRefused(error.code, req.ip ?? 'unknown');
    if (status === 401) res.set('WWW-Authenticate', 'Bearer');
    res.status(status).json({ errors: [formatError(error, known.get(req)?.requestId ?? randomUUID(), deps.log)] });
  };
}

/** body-parser marks its own errors with a `type`; they are the client's mistakes. */
function bodyError(thrown: unknown, limits: GraphqlLimits): unknown {
  if (thrown instanceof ReachError || typeof thrown !== 'object' || thrown === null || !('type' in thrown))
    return thrown;
  if (thrown.type === 'entity.too.large') {
    return new ReachError('PAYLOAD_TOO_LARGE', `The body takes more than ${limits.bodyBytes} bytes.`, {
      fields: [{ path: 'body', got: 'more', allowed: `at most ${limits.bodyBytes} bytes` }],
    });
  }
  return new ReachError('INVALID_INPUT', 'The body could not be read as JSON.');
}
