import { asFailure, failureOfBody, failureOfErrors, RequestFailure } from './failure';
import type { Operation } from './operation';
import { goToSignIn } from './session';

/**
 * Runs one query or mutation on the viewer's session. Throws a RequestFailure; when nobody is signed in it also sends
 * the browser to the sign-in page.
 */
export async function request<Data, Variables>(
  operation: Operation<Data, Variables>,
  variables: Variables,
  signal?: AbortSignal,
): Promise<Data> {
  const answer = await send(operation.text, variables, signal);
  if (answer.errors !== undefined && answer.errors.length > 0) {
    const failure = failureOfErrors(answer.errors);
    if (failure.code === 'UNAUTHENTICATED') goToSignIn();
    throw failure;
  }
  return answer.data as Data;
}

async function send(query: string, variables: unknown, signal: AbortSignal | undefined): Promise<GraphqlAnswer> {
  let response: Response;
  try {
    response = await fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      credentials: 'same-origin',
      cache: 'no-store',
      body: JSON.stringify({ query, variables }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw asFailure(error);
  }
  const body: unknown = await response.json().catch(() => undefined);
  if (isAnswer(body)) return body;
  const failure = failureOfBody(response.status, body);
  if (failure.code === 'UNAUTHENTICATED' || response.status === 401) goToSignIn();
  throw failure;
}

interface GraphqlAnswer {
  readonly data?: unknown;
  readonly errors?: readonly unknown[];
}

function isAnswer(body: unknown): body is GraphqlAnswer {
  return typeof body === 'object' && body !== null && ('data' in body || Array.isArray((body as GraphqlAnswer).errors));
}

/** Posts to one of the API's sign-in routes. Throws a RequestFailure unless it answers with success. */
export async function postAuth(path: '/auth/link' | '/auth/sign-in' | '/auth/sign-out', body: unknown): Promise<void> {
  let response: Response;
  try {
    response = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      credentials: 'same-origin',
      body: JSON.stringify(body),
    });
  } catch (error) {
    throw asFailure(error);
  }
  if (response.ok) return;
  const answer: unknown = await response.json().catch(() => undefined);
  const failure = failureOfBody(response.status, answer);
  throw response.status === 401 && failure.code.startsWith('HTTP_')
    ? new RequestFailure('UNAUTHENTICATED', 'That name and password do not match.')
    : failure;
}
