import type { JsonSchema } from '@agent-reach/sdk/protocol';
import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';

/** Assertions of a schema that may be compiled a second time; more would hold the event loop for too long. */
const MAX_ASSERTIONS = 2_000;
/** Assertions times parts of the value: so many errors there can be at most, each of them an object. */
const MAX_ERRORS = 50_000;

/** Checks a value without stopping at its first fault. */
export type ThoroughCheck = (value: unknown) => readonly ErrorObject[] | undefined;

/**
 * Looks for all faults of values that are known to have one. Nothing bounds the errors that a validator makes once it
 * doesn't stop at the first, so it is only asked where schema and value are small; else the answer is undefined.
 *
 * @param assertions how much of it can fail for one part of a value, references followed
 * @param compile makes a validator that doesn't stop; called at the first fault
 */
export function thoroughCheck(
  schema: JsonSchema,
  assertions: number,
  compile: (schema: JsonSchema) => ValidateFunction,
): ThoroughCheck {
  let validate: ValidateFunction | undefined;
  return (value) => {
    if (assertions > MAX_ASSERTIONS || !hasFewParts(value, MAX_ERRORS / assertions)) return undefined;
    validate ??= compile(schema);
    return validate(value) ? undefined : (validate.errors ?? undefined);
  };
}

/** Whether a value, each item and member of it counted, has no more parts than this. Stops counting there. */
function hasFewParts(value: unknown, most: number): boolean {
  const open = [value];
  for (let count = 0; open.length > 0; ) {
    const part = open.pop();
    if (++count > most || open.length > most) return false;
    if (typeof part !== 'object' || part === null) continue;
    for (const member of Object.values(part)) open.push(member);
  }
  return true;
}
