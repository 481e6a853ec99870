import {
  type AckFrame,
  type AgentFailure,
  isObject,
  type JsonObject,
  nestsTooDeeply,
  ReachError,
  type ResultFrame,
  unsafeNumbers,
  type WireError,
} from '@agent-reach/sdk/protocol';

/** An endpoint's answer to a dispatch, as it came. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** What an answer says, in the words of the protocol. */
export type Meaning =
  | { readonly kind: 'RESULT'; readonly frame: ResultFrame }
  | { readonly kind: 'ACK'; readonly frame: AckFrame }
  /** An answer that can't be taken. */
  | { readonly kind: 'FAULTY'; readonly error: WireError };

const MAX_MESSAGE = 8_192;
const MAX_RETRY_AFTER_MS = 3_600_000;

/**
 * Reads an answer: 2xx is the result, 202 accepts a task, 429 and a 503 that says when to come back refuse, any other 4xx
 * is a business error, and everything else a failure of the agent. A 503 that doesn't say when may come from a gateway
 * that lost the agent in mid-work, so it must not send the call elsewhere. Redirects are not followed.
 * `wall`: ms since 1970.
 */
export function meaningOf(
  answer: HttpAnswer,
  dispatch: { readonly dispatchId: string; readonly isTask: boolean },
  wall: number,
): Meaning {
  const { dispatchId, isTask } = dispatch;
  const { status } = answer;
  if (status === 202 && isTask) return { kind: 'ACK', frame: { type: 'ack', dispatchId, accepted: true } };
  if (status >= 200 && status < 300) return resultOf(answer, dispatchId);
  const retryAfterMs = retryAfterOf(answer, wall);
  if (status === 429 || (status === 503 && retryAfterMs !== undefined)) {
    const refusal = { type: 'ack', dispatchId, accepted: false, reason: 'BUSY' } as const;
    return { kind: 'ACK', frame: retryAfterMs === undefined ? refusal : { ...refusal, retryAfterMs } };
  }
  return { kind: 'RESULT', frame: { type: 'result', dispatchId, ok: false, error: failureOf(answer) } };
}

/** An answer over the limit, of which the rest was not read. */
export function tooLarge(maxBytes: number): WireError {
  return new ReachError('PAYLOAD_TOO_LARGE', `The answer is larger than ${maxBytes} bytes.`).toWire();
}

function resultOf(answer: HttpAnswer, dispatchId: string): Meaning {
  const text = textOf(answer);
  if (text === '') return { kind: 'RESULT', frame: { type: 'result', dispatchId, ok: true, result: null } };
  if (text === undefined) return faulty('the body is compressed or not UTF-8');
  const parsed = parse(text);
  if (parsed === undefined) return faulty('the body is not JSON');
  const result = parsed.value;
  if (nestsTooDeeply(text, result)) return faulty('the body is nested too deeply; allowed are 100 levels');
  const fields = unsafeNumbers(text, result, 'result');
  const [first] = fields;
  if (first !== undefined) return faulty(`${first.path}: got ${first.got}, allowed: ${first.allowed}`, fields);
  return { kind: 'RESULT', frame: { type: 'result', dispatchId, ok: true, result } };
}

function faulty(message: string, fields: NonNullable<WireError['fields']> = []): Meaning {
  return { kind: 'FAULTY', error: new ReachError('INVALID_RESULT', `${message}.`, { fields }).toWire() };
}

/** A 4xx that is no refusal, a 5xx, or something that is no answer to a dispatch, such as a redirect. */
function failureOf(answer: HttpAnswer): AgentFailure {
  const { status } = answer;
  const said = saidBy(answer);
  const message = said.message ?? `The endpoint answered with status ${status} and no message.`;
  const details = said.details === undefined ? {} : { details: said.details };
  if (status >= 400 && status < 500) return { code: 'BUSINESS_ERROR', message, ...details };
  if (status < 500) {
    // Without what may hold secrets: user name, password and query.
    const location = String(answer.headers.location ?? 'nowhere')
      .replace(/[?#].*$/s, '')
      .replace(/^([^/]*\/\/)?[^/]*@/, '$1')
      .slice(0, 200);
    return {
      code: 'AGENT_ERROR',
      message: `The endpoint answered with status ${status}, to ${location}; redirects are not followed, register the final address.`,
    };
  }
  return { code: said.isUnknown ? 'OUTCOME_UNKNOWN' : 'AGENT_ERROR', message, retryable: said.retryable, ...details };
}

/** What a body says of a failure: `{"error": {"message", "retryable", "details"}}`, the inner object alone, or a text. */
function saidBy(answer: HttpAnswer): {
  readonly message: string | undefined;
  readonly retryable: boolean;
  readonly isUnknown: boolean;
  readonly details: JsonObject | undefined;
} {
  const text = textOf(answer) ?? '';
  const body = parse(text)?.value;
  const error = isObject(body) && isObject(body.error) ? body.error : body;
  const plain = text.trim() === '' ? undefined : text;
  if (!isObject(error)) {
    const message = typeof error === 'string' ? error : plain;
    return { message: message?.slice(0, MAX_MESSAGE), retryable: false, isUnknown: false, details: undefined };
  }
  // Some frameworks write {"error": "Not Found"}.
  const message = [error.message, error.error].find((each) => typeof each === 'string' && each !== '') ?? plain;
  const { details } = error;
  const isSafe = isObject(details) && !nestsTooDeeply(text, body) && unsafeNumbers(text, details, '').length === 0;
  return {
    message: typeof message === 'string' ? message.slice(0, MAX_MESSAGE) : undefined,
    retryable: error.retryable === true,
    isUnknown: error.code === 'OUTCOME_UNKNOWN',
    details: isSafe ? details : undefined,
  };
}

/** Undefined: not text that this server reads. No encoding was asked for, so that none should have been used. */
function textOf({ headers, body }: HttpAnswer): string | undefined {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return undefined;
  }
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** The one form of dates that HTTP allows to be sent. `Date.parse` reads nearly anything as a date, `-5` and `1.5` too. */
const IMF_FIXDATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Seconds or a date (RFC 9110, section 10.2.3), as ms from now; at most an hour. */
function retryAfterOf({ headers }: HttpAnswer, wall: number): number | undefined {
  const value = headers['retry-after'];
  if (typeof value !== 'string') return undefined;
  const date = IMF_FIXDATE.test(value) ? Date.parse(value) : Number.NaN;
  const ms = /^\d+$/.test(value) ? Number(value) * 1_000 : date - wall;
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), MAX_RETRY_AFTER_MS);
}
