import { type FieldFault, ReachError } from './errors.js';
import { WIRE_LIMITS } from './frames.js';
import { optional, type Shape, shapeFaults, text, wholeNumber } from './shape.js';

/** What is looked for, once checked; absent fields as undefined. */
export interface FindRequest {
  readonly text: string;
  readonly namespace: string | undefined;
  readonly limit: number;
}

/** The fields of a `find` frame beside its id; the same over every way in. */
export const FIND_FIELDS = {
  text: text(1, WIRE_LIMITS.maxSearchText),
  namespace: optional(text(1, 64)),
  limit: optional(wholeNumber(1, WIRE_LIMITS.maxFound)),
} as const satisfies Shape;

/** Checks what is looked for. Throws INVALID_INPUT with every faulty field. */
export function parseFindRequest(value: unknown): FindRequest {
  const faults: readonly FieldFault[] = shapeFaults(value, FIND_FIELDS);
  const first = faults[0];
  if (first !== undefined) {
    throw new ReachError('INVALID_INPUT', `${first.path}: got ${first.got}, allowed: ${first.allowed}.`, {
      fields: faults,
    });
  }
  const { text, namespace, limit } = value as { text: string; namespace?: string; limit?: number };
  return { text, namespace, limit: limit ?? WIRE_LIMITS.defaultFound };
}
