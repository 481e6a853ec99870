import type { DispatchFrame, JsonObject } from '@agent-reach/sdk/protocol';
import { mayPass } from '../../perceive/endpoints/reserved-headers.js';
import type { HttpEndpoint } from '../../perceive/model.js';

/** What of a dispatch goes over the wire. */
export interface HttpDispatch {
  readonly origin: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Characters that a header's value can carry as they are (RFC 9110, section 5.5), as Node's parsers take them. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The header that a caller sent and that HTTP can't carry, if there is one. */
export function unsendableHeader({ headers = {} }: DispatchFrame): string | undefined {
  return Object.entries(headers).find(([name, value]) => mayPass(name.toLowerCase()) && !HEADER_VALUE.test(value))?.[0];
}

/** Writes a dispatch as a POST of the parameters. `wall`: ms since 1970. */
export function requestOf(frame: DispatchFrame, endpoint: HttpEndpoint, wall: number): HttpDispatch {
  const url = new URL(endpoint.url);
  const asForm = endpoint.encoding === 'FORM';
  const passed = Object.entries(frame.headers ?? {})
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => mayPass(name));
  return {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    body: asForm ? formOf(frame.params) : JSON.stringify(frame.params),
    headers: {
      ...Object.fromEntries(passed),
      accept: 'application/json',
      'content-type': asForm ? 'application/x-www-form-urlencoded' : 'application/json',
      'user-agent': 'agent-reach',
      'reach-request-id': headerText(frame.requestId),
      'reach-dispatch-id': frame.dispatchId,
      'reach-caller': headerText(frame.caller),
      'reach-capability': frame.capability,
      'reach-deadline': new Date(wall + frame.timeoutMs).toISOString(),
      'reach-timeout-ms': String(frame.timeoutMs),
      'reach-attempt': String(frame.attempt),
      ...(frame.traceparent === undefined ? {} : { traceparent: frame.traceparent }),
      ...(frame.task === undefined
        ? {}
        : { 'reach-task-id': frame.task.taskId, 'reach-task-epoch': String(frame.task.epoch) }),
    },
  };
}

/** Any text as a header's value: what is not printable ASCII, and `%` itself, is percent-encoded UTF-8. */
function headerText(text: string): string {
  return text.replace(/[^\x21-\x24\x26-\x7e]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}

/**
 * A form's fields: text, numbers and truth values as they read, null as nothing, each plain item of a list under the
 * same name, and everything that is nested as JSON.
 */
function formOf(params: JsonObject): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const item of Array.isArray(value) ? value : [value]) form.append(name, fieldOf(item));
  }
  return form.toString();
}

function fieldOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
