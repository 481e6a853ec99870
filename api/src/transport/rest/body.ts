import { bodyFaults, type ClientFrame, type FieldFault, ReachError } from '@agent-reach/sdk/protocol';
import express, { type Request } from 'express';
import { jsonFault } from './json-fault.js';

/** Reads a body as text, whatever its type says, so that numbers which parsing would change are still seen. */
export function textBody(maxBytes: number) {
  return express.text({ type: () => true, limit: maxBytes });
}

export function textOf({ body }: Request): string {
  return typeof body === 'string' ? body : '';
}

/** Throws INVALID_INPUT with the place where it is no JSON, and an example of what is expected. */
export function parseJson(text: string, example: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const got = text === '' ? 'nothing' : `no JSON from ${jsonFault(text)} on`;
    const allowed = `a JSON object such as ${example}`;
    throw new ReachError('INVALID_INPUT', `The body: got ${got}, allowed: ${allowed}.`, {
      fields: [{ path: '$', got, allowed }],
    });
  }
}

/**
 * A body that has the fields of a frame. Throws INVALID_INPUT with every faulty field, or INVALID_PARAMS where the first
 * is one of the parameters.
 */
export function parseFrameBody<Type extends ClientFrame['type'], const Given extends string = never>(
  type: Type,
  request: Request,
  options: { readonly example: string; readonly without?: readonly Given[]; readonly mayLack?: readonly string[] },
): Omit<Extract<ClientFrame, { type: Type }>, 'type' | Given> {
  const text = textOf(request);
  const body = parseJson(text, options.example);
  const faults = bodyFaults(type, body, text, options);
  if (faults.length > 0) throw faulty(faults);
  return body as Omit<Extract<ClientFrame, { type: Type }>, 'type' | Given>;
}

function faulty(fields: readonly FieldFault[]): ReachError {
  const [first] = fields;
  const code = first?.path.startsWith('params') ? 'INVALID_PARAMS' : 'INVALID_INPUT';
  return new ReachError(code, `${first?.path}: got ${first?.got}, allowed: ${first?.allowed}.`, { fields });
}
