/** One place at which two values differ. */
export interface Difference {
  /** Dotted path from the root; empty for the root itself. */
  readonly path: string;
  /** Undefined: it wasn't there. */
  readonly before: unknown;
  /** Undefined: it is not there any more. */
  readonly after: unknown;
}

/** Where two JSON values differ, in the order of their keys. Lists are compared as wholes. */
export function differences(before: unknown, after: unknown, path = ''): Difference[] {
  if (isObject(before) && isObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => differences(before[key], after[key], path === '' ? key : `${path}.${key}`));
  }
  return sameJson(before, after) ? [] : [{ path, before, after }];
}

/** Whether two JSON values are equal; the order of keys doesn't matter. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (isObject(a) && isObject(b)) return differences(a, b).length === 0;
  return JSON.stringify(a) === JSON.stringify(b);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
