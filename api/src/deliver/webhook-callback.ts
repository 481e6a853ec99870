import { type FieldFault, ReachError, type TaskCallback, type WireError } from '@agent-reach/sdk/protocol';
import type { EgressGuard } from './egress.js';

/** What is no part of an address, and can't be stored either. */
const UNPRINTABLE = /[\0-\x20\x7f]|\p{Surrogate}/u;

/**
 * What stands against a callback that a call names, as INVALID_PARAMS. A name is judged again, by what it then means,
 * whenever a message is sent to it.
 */
export function callbackError(egress: Pick<EgressGuard, 'check'>, { url }: TaskCallback): WireError | undefined {
  const path = 'callback.url';
  if (UNPRINTABLE.test(url)) {
    const fault: FieldFault = { path, got: 'an address with unprintable characters', allowed: 'printable characters' };
    return new ReachError('INVALID_PARAMS', `${path}: got ${fault.got}.`, { fields: [fault] }).toWire();
  }
  try {
    egress.check(url, path, 'INVALID_PARAMS');
    return undefined;
  } catch (error) {
    if (error instanceof ReachError) return error.toWire();
    throw error;
  }
}
