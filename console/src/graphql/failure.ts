import type { FieldFault } from '@agent-reach/sdk/protocol';

/** A request that failed, with what the API said about it. */
export class RequestFailure extends Error {
  override readonly name = 'RequestFailure';
  readonly code: string;
  readonly retryable: boolean;
  readonly requestId: string | undefined;
  readonly fields: readonly FieldFault[];
  /** With CONFLICT: what is there now. */
  readonly current: unknown;

  constructor(
    code: string,
    message: string,
    more: {
      retryable?: boolean;
      requestId?: string;
      fields?: readonly FieldFault[];
      current?: unknown;
      cause?: unknown;
    } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.retryable = more.retryable ?? false;
    this.requestId = more.requestId;
    this.fields = more.fields ?? [];
    this.current = more.current;
  }
}

/** Any thrown value as a RequestFailure, so that pages show one kind of thing. */
export function asFailure(error: unknown): RequestFailure {
  if (error instanceof RequestFailure) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new RequestFailure('UNREACHABLE', `The server could not be reached: ${message}`, {
    retryable: true,
    cause: error,
  });
}

/** The first error of a GraphQL answer. */
export function failureOfErrors(errors: readonly unknown[]): RequestFailure {
  const first = record(errors[0]);
  const extensions = record(first.extensions);
  return new RequestFailure(text(extensions.code) ?? 'INTERNAL', text(first.message) ?? 'The request failed.', {
    retryable: extensions.retryable === true,
    ...optional('requestId', text(extensions.requestId)),
    fields: faults(extensions.fields),
    current: extensions.current ?? record(extensions.details).current,
  });
}

/** The body `{ error: { code, message } }` of the REST routes and of the proxy. */
export function failureOfBody(status: number, body: unknown): RequestFailure {
  const error = record(record(body).error);
  return new RequestFailure(
    text(error.code) ?? `HTTP_${status}`,
    text(error.message) ?? `The server answered with status ${status}.`,
    {
      retryable: error.retryable === true,
      fields: faults(error.fields),
    },
  );
}

function faults(value: unknown): FieldFault[] {
  if (!Array.isArray(value)) return [];
  return value.map((entry) => {
    const { path, got, allowed } = record(entry);
    return { path: text(path) ?? '', got: text(got) ?? '', allowed: text(allowed) ?? '' };
  });
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function optional<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]?: Value });
}
