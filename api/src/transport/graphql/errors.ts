import { ERRORS, ReachError } from '@agent-reach/sdk/protocol';
import { type ExecutionResult, GraphQLError, type GraphQLFormattedError } from 'graphql';

/** Where details go that no client may see. */
export interface ErrorLog {
  error(details: object, message: string): void;
}

/** What every error carries, and nothing else. */
export interface ErrorExtensions {
  readonly code: string;
  readonly retryable: boolean;
  readonly requestId: string;
  readonly fields?: readonly { readonly path: string; readonly got: string; readonly allowed: string }[];
  /** For CONFLICT: what there is now. */
  readonly current?: unknown;
  readonly retryAfterMs?: number;
}

/**
 * Turns whatever went wrong into the error that the client gets: ReachErrors with their code, faults of the document or
 * variables as INVALID_INPUT, everything else as INTERNAL with the details in the log under the requestId alone.
 */
export function formatError(error: unknown, requestId: string, log: ErrorLog): GraphQLFormattedError {
  const place = error instanceof GraphQLError ? placeOf(error) : {};
  const reach = reachErrorOf(error);
  if (reach.code === 'INTERNAL') log.error({ requestId, err: innermost(error) }, 'a GraphQL request failed');
  const current = reach.code === 'CONFLICT' ? reach.details?.current : undefined;
  const extensions: ErrorExtensions = {
    code: reach.code,
    retryable: reach.retryable,
    requestId,
    ...(reach.fields === undefined ? {} : { fields: reach.fields }),
    ...(current === undefined ? {} : { current }),
    ...(reach.retryAfterMs === undefined ? {} : { retryAfterMs: reach.retryAfterMs }),
  };
  return { message: reach.message, ...place, extensions: { ...extensions } };
}

/** The HTTP status of a request that failed before it was executed. */
export function statusOf(error: unknown): number {
  return ERRORS[reachErrorOf(error).code].status;
}

function reachErrorOf(error: unknown): ReachError {
  const inner = innermost(error);
  if (inner instanceof ReachError) return inner;
  if (error instanceof GraphQLError && isClientFault(error)) return new ReachError('INVALID_INPUT', error.message);
  return new ReachError('INTERNAL', 'A fault of the server; its log has the details under the requestId.');
}

/** What was thrown first, below what GraphQL wrapped around it. */
export function innermost(error: unknown): unknown {
  let inner = error;
  while (inner instanceof GraphQLError && inner.originalError !== undefined) inner = inner.originalError;
  return inner;
}

/**
 * Faults of the document and its variables come without a path; an argument that a variable left without a value is
 * found at its field.
 */
function isClientFault(error: GraphQLError): boolean {
  return (
    innermost(error) instanceof GraphQLError && (error.path === undefined || error.message.startsWith('Argument "'))
  );
}

function placeOf({ locations, path }: GraphQLError): Pick<GraphQLFormattedError, 'locations' | 'path'> {
  return { ...(locations === undefined ? {} : { locations }), ...(path === undefined ? {} : { path }) };
}

/** The result as it goes out, its errors in the form that clients get. */
export function formatResult(
  result: ExecutionResult,
  format: (error: unknown) => GraphQLFormattedError,
): ExecutionResult | { readonly errors: readonly GraphQLFormattedError[] } {
  return result.errors === undefined ? result : { ...result, errors: result.errors.map(format) };
}
