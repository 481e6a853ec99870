import { ERRORS, ReachError, type WireError } from '@agent-reach/sdk/protocol';
import type { ErrorRequestHandler, RequestHandler, Response } from 'express';

/** Turns what a REST route throws into `{ error: WireError }` with its status. Internals go to the log only. */
export function restErrors(log: { error(details: object, message: string): void }): ErrorRequestHandler {
  return (thrown: unknown, request, response, next) => {
    if (response.headersSent) return next(thrown);
    const error = toReachError(thrown);
    if (error.code === 'INTERNAL') log.error({ err: thrown, path: request.path }, 'a request failed');
    response.status(ERRORS[error.code].status).json({ error: error.toWire() });
  };
}

/** Answers a body that tells of an error, with the error's status and when to come again. */
export function answerFailed(response: Response, error: WireError, body: object): void {
  if (error.retryAfterMs !== undefined) response.set('Retry-After', String(Math.ceil(error.retryAfterMs / 1000)));
  response.status(ERRORS[error.code].status).json(body);
}

/** body-parser marks its own errors with a `type`; they are the caller's mistakes. */
function toReachError(thrown: unknown): ReachError {
  if (thrown instanceof ReachError) return thrown;
  const type = typeof thrown === 'object' && thrown !== null && 'type' in thrown ? thrown.type : undefined;
  if (type === 'entity.too.large') return new ReachError('PAYLOAD_TOO_LARGE', 'The body is larger than the limit.');
  if (typeof type === 'string') return new ReachError('INVALID_INPUT', 'The body could not be read.');
  return new ReachError('INTERNAL', 'The server failed on this request; its log has the details.');
}

/** What no route of `/v1` took, so that programs get JSON there whatever they ask. */
export const noSuchRoute: RequestHandler = (request, _response, next) => {
  const where = `${request.method} ${request.baseUrl}${request.path}`;
  next(new ReachError('NOT_FOUND', `There is no ${where}; docs/PROTOCOL.md has what there is.`));
};
