import { ReachError } from '@agent-reach/sdk/protocol';
import { type DocumentNode, GraphQLError, type GraphQLSchema, getOperationAST, parse } from 'graphql';
import type { KnownDocuments } from './known-documents.js';
import type { GraphqlLimits } from './limits.js';
import { measure } from './measure.js';
import { type Overlap, overlap } from './overlap.js';

const MEASURES = [
  'depth',
  'introspectionDepth',
  'aliases',
  'rootFields',
  'cost',
  'fields',
  'comparisons',
  'spreads',
] as const;

/** What is valid needs no comparison any more. */
const NO_OVERLAP: Overlap = { fields: 0, comparisons: 0, spreads: 0 };

/** One operation as a client sends it. */
export interface OperationRequest {
  readonly query: string;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** An operation that is within the limits; parsed, and not yet validated unless it says so. */
export interface CheckedOperation extends OperationRequest {
  readonly document: DocumentNode;
  readonly kind: 'query' | 'mutation' | 'subscription';
  /** It was validated before. */
  readonly isValid: boolean;
}

/** Reads the one operation out of a body or a `subscribe` payload. Throws INVALID_INPUT, PAYLOAD_TOO_LARGE. */
export function operationRequest(body: unknown, limits: GraphqlLimits): OperationRequest {
  if (Array.isArray(body)) refuse('body', 'a list', 'one operation: batches are not taken');
  if (typeof body !== 'object' || body === null) refuse('body', typeof body, 'a JSON object with a query');
  const { query, operationName, variables, extensions } = body as Readonly<Record<string, unknown>>;
  if (typeof query !== 'string' || query === '') refuse('query', typeof query, 'the text of a GraphQL document');
  if (operationName != null && typeof operationName !== 'string')
    refuse('operationName', typeof operationName, 'a text');
  if (variables != null && (typeof variables !== 'object' || Array.isArray(variables))) {
    refuse('variables', Array.isArray(variables) ? 'a list' : typeof variables, 'an object');
  }
  if (extensions != null && (typeof extensions !== 'object' || Array.isArray(extensions))) {
    refuse('extensions', Array.isArray(extensions) ? 'a list' : typeof extensions, 'an object');
  }
  const bytes = variables == null ? 0 : jsonBytes(variables);
  if (bytes > limits.variableBytes) {
    throw new ReachError('PAYLOAD_TOO_LARGE', `The variables take more than ${limits.variableBytes} bytes.`, {
      fields: [{ path: 'variables', got: `${bytes} bytes`, allowed: `at most ${limits.variableBytes} bytes` }],
    });
  }
  return {
    query,
    operationName: operationName ?? undefined,
    variables: (variables ?? {}) as Readonly<Record<string, unknown>>,
  };
}

/**
 * Parses an operation and checks its size before anybody validates it, because validation takes time that grows faster
 * than the document. Throws INVALID_INPUT.
 *
 * @param known documents that need not be read again
 */
export function checkOperation(
  schema: GraphQLSchema,
  request: OperationRequest,
  limits: GraphqlLimits,
  known?: Pick<KnownDocuments, 'get'>,
): CheckedOperation {
  const valid = known?.get(request.query);
  const document = valid ?? parseWithin(request.query, limits.tokens);
  const operation = getOperationAST(document, request.operationName);
  if (operation == null) {
    refuse('operationName', request.operationName ?? 'nothing', 'the name of one of the operations in the document');
  }
  const { fields, comparisons, spreads } = valid === undefined ? overlap(document, limits.fields) : NO_OVERLAP;
  const size = { ...measure(schema, document, operation, request.variables), fields, comparisons, spreads };
  const over = MEASURES.filter((name) => !(size[name] <= limits[name]));
  if (over.length > 0) {
    throw new ReachError('INVALID_INPUT', `The operation is too large: ${over.join(', ')}.`, {
      fields: over.map((name) => ({
        path: `query.${name}`,
        got: String(size[name]),
        allowed: `at most ${limits[name]}`,
      })),
    });
  }
  return { ...request, document, kind: operation.operation, isValid: valid !== undefined };
}

function parseWithin(query: string, maxTokens: number): DocumentNode {
  try {
    return parse(query, { maxTokens });
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    if (/Parsing aborted/.test(error.message))
      refuse('query', `more than ${maxTokens} tokens`, `at most ${maxTokens} tokens`);
    const [at] = error.locations ?? [];
    throw new ReachError('INVALID_INPUT', error.message, {
      fields: [
        {
          path: 'query',
          got: at === undefined ? 'no GraphQL document' : `a fault in line ${at.line}, column ${at.column}`,
          allowed: 'a GraphQL document',
        },
      ],
    });
  }
}

function jsonBytes(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value));
  } catch {
    // Only nesting beyond the stack makes JSON.stringify fail on what JSON.parse made.
    refuse('variables', 'an object nested too deeply', 'an object of moderate depth');
  }
}

function refuse(path: string, got: string, allowed: string): never {
  throw new ReachError('INVALID_INPUT', `The request's ${path} is not possible so.`, {
    fields: [{ path, got, allowed }],
  });
}
