import { randomUUID } from 'node:crypto';
import {
  callbackFaults,
  type FieldFault,
  type JsonObject,
  object,
  optional,
  ReachError,
  type Shape,
  shapeFaults,
  text,
  WIRE_LIMITS,
  wholeNumber,
} from '@agent-reach/sdk/protocol';
import type { CallRequest } from '../../../execute/ports.js';
import type { BroadcastInput } from '../types/broadcasts.types.js';
import type { DispatchInput } from '../types/calls.types.js';
import { targetOf } from './call-target.js';

/** Bounds of what a call carries; the same as over every other way in. */
const FIELDS = {
  requestId: optional(text(1, WIRE_LIMITS.maxRequestIdLength)),
  params: object,
  timeoutMs: optional(wholeNumber(1, WIRE_LIMITS.maxTimeoutMs)),
  affinityKey: optional(text(0, 256)),
  priority: optional(wholeNumber(0, WIRE_LIMITS.maxPriority)),
  taskTimeoutMs: optional(wholeNumber(1_000, WIRE_LIMITS.maxTaskTimeoutMs)),
} as const satisfies Shape;

/** The call as execution takes it. Throws INVALID_INPUT with every faulty field. */
export function requestOf(input: DispatchInput | BroadcastInput, namespace: string): CallRequest {
  const { target, onBehalfOf: _, ...rest } = input;
  const { callback, ...fields } = withoutNulls(rest);
  const faults: FieldFault[] = [
    ...shapeFaults(fields, FIELDS, 'input'),
    ...(callback === undefined ? [] : callbackFaults(callback, 'input.callback')),
  ];
  if (faults.length > 0) throw new ReachError('INVALID_INPUT', 'The call is not possible so.', { fields: faults });
  return {
    ...fields,
    requestId: fields.requestId ?? randomUUID(),
    target: targetOf(target, namespace),
    params: fields.params as JsonObject,
    ...(callback === undefined ? {} : { callback: { url: callback.url, secret: callback.secret } }),
  };
}

type Given = Omit<DispatchInput, 'target' | 'onBehalfOf'>;

/** In GraphQL a field that is null says the same as one that is absent. */
function withoutNulls(fields: Given): { readonly [Field in keyof Given]: Exclude<Given[Field], null> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)) as never;
}
