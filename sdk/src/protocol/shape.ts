import type { FieldFault } from './errors.js';

/** Checks one value; returns what is allowed when the value is not, else undefined. */
export type Check = (value: unknown) => string | undefined;

/** The fields of an object: every one that may occur, with its check. Anything else is an unknown field. */
export type Shape = Readonly<Record<string, Check>>;

/** NUL and halves of surrogate pairs: no database keeps them, and no person can see them. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

export const text =
  (least = 1, most = 512): Check =>
  (value) => {
    if (typeof value !== 'string' || value.length < least || value.length > most) {
      return `a string of ${least} to ${most} characters`;
    }
    return UNSTORABLE.test(value) ? 'a string without NUL and halves of surrogate pairs' : undefined;
  };

/** A string that matches; `allowed` says what in words. */
export const pattern =
  (expression: RegExp, allowed: string): Check =>
  (value) =>
    typeof value === 'string' && expression.test(value) ? undefined : allowed;

export const wholeNumber =
  (least: number, most: number): Check =>
  (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
      ? undefined
      : `a whole number from ${least} to ${most}`;

export const numberIn =
  (least: number, most: number): Check =>
  (value) =>
    typeof value === 'number' && value >= least && value <= most ? undefined : `a number from ${least} to ${most}`;

export const truth: Check = (value) => (typeof value === 'boolean' ? undefined : 'true or false');

export const anything: Check = (value) => (value === undefined ? 'any JSON value' : undefined);

export const object: Check = (value) => (isObject(value) ? undefined : 'an object');

/** A string, or an object whose fields are checked by themselves. */
export const textOrObject: Check = (value) =>
  typeof value === 'string' || isObject(value) ? undefined : 'a string or an object';

export const schema: Check = (value) =>
  typeof value === 'boolean' || isObject(value) ? undefined : 'a JSON Schema: an object';

export const oneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && values.includes(value) ? undefined : values.join(', ');

/** A list of some of these values, at least one. */
export const someOf =
  (...values: readonly string[]): Check =>
  (value) =>
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= values.length &&
    value.every((each) => values.includes(each))
      ? undefined
      : `a list of one or more of ${values.join(', ')}`;

export const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined ? undefined : check(value);

/** An object whose values are strings. */
export const textMap: Check = (value) =>
  isObject(value) &&
  Object.entries(value).every((pair) => pair.every((each) => typeof each === 'string' && !UNSTORABLE.test(each)))
    ? undefined
    : 'an object whose values are strings, without NUL and halves of surrogate pairs';

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Collects the faults of nested values, which `Check` alone can't place. */
export interface Nested {
  readonly [field: string]: (value: unknown, path: string) => FieldFault[];
}

/** Faults listed at most: more would make an answer that is larger than the frame that it is about. */
export const MAX_FAULTS = 20;

/** The faults of an object against its shape, unknown fields included, 20 at most. Fast when there is none. */
export function shapeFaults(value: unknown, shape: Shape, path = '', nested: Nested = {}): FieldFault[] {
  if (!isObject(value)) return [{ path: path === '' ? '$' : path, got: shown(value), allowed: 'an object' }];
  const faults: FieldFault[] = [];
  for (const field in shape) {
    const allowed = shape[field]?.(value[field]);
    if (allowed !== undefined) faults.push({ path: join(path, field), got: shown(value[field]), allowed });
    else if (value[field] !== undefined) faults.push(...(nested[field]?.(value[field], join(path, field)) ?? []));
  }
  for (const field in value) {
    if (faults.length >= MAX_FAULTS) break;
    if (!Object.hasOwn(shape, field)) {
      faults.push({
        path: join(path, field.slice(0, 64)),
        got: 'an unknown field',
        allowed: Object.keys(shape).join(', '),
      });
    }
  }
  return faults;
}

/** The fields of an object that are what its shape says; none of what is no object. */
export function wellShaped(value: unknown, shape: Shape): Record<string, unknown> {
  if (!isObject(value)) return {};
  const good = Object.keys(shape).filter(
    (field) => value[field] !== undefined && shape[field]?.(value[field]) === undefined,
  );
  return Object.fromEntries(good.map((field) => [field, value[field]]));
}

/** Checks each item of a list with a shape of its own. */
export function listOf(items: Shape, nested: Nested = {}): (value: unknown, path: string) => FieldFault[] {
  return (value, path) => {
    const faults: FieldFault[] = [];
    if (!Array.isArray(value)) return faults;
    for (let index = 0; index < value.length && faults.length < MAX_FAULTS; index++) {
      faults.push(...shapeFaults(value[index], items, `${path}.${index}`, nested));
    }
    return faults;
  };
}

export const list =
  (most: number): Check =>
  (value) =>
    Array.isArray(value) && value.length <= most ? undefined : `a list of at most ${most}`;

export const texts =
  (most: number): Check =>
  (value) =>
    Array.isArray(value) && value.length <= most && value.every((each) => typeof each === 'string')
      ? undefined
      : `a list of at most ${most} strings`;

function join(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}

/** A value as an error shows it: its type, and short scalars themselves. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  const printed = JSON.stringify(value);
  return printed.length > 60 ? `${printed.slice(0, 60)}…` : printed;
}
