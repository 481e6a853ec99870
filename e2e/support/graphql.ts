/** A refusal of the GraphQL API. */
export class GraphqlError extends Error {
  override readonly name = 'GraphqlError';

  constructor(
    message: string,
    /** `extensions.code` of the first error. */
    readonly code: string,
  ) {
    super(message);
  }
}

interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}

/** Asks the GraphQL API at `<apiUrl>/graphql`. Throws GraphqlError with the code of the first error. */
export type Graphql = <T>(document: string, variables?: Readonly<Record<string, unknown>>) => Promise<T>;

/** A client of the GraphQL API with a bearer token. */
export function graphqlClient(apiUrl: string, token: string): Graphql {
  const url = new URL('/graphql', apiUrl);
  return async <T>(document: string, variables: Readonly<Record<string, unknown>> = {}): Promise<T> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query: document, variables }),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await response.text();
    const answer = parse(text);
    const error = answer?.errors?.[0];
    if (error !== undefined) throw new GraphqlError(error.message, error.extensions?.code ?? 'UNKNOWN');
    if (answer?.data === undefined || answer.data === null)
      throw new GraphqlError(`HTTP ${response.status}: ${text.slice(0, 500)}`, `HTTP_${response.status}`);
    return answer.data as T;
  };
}

function parse(text: string): Answer | undefined {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return undefined;
  }
}
