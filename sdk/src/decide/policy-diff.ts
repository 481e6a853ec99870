/** One field in which two versions of a policy differ. */
export interface PolicyFieldChange {
  /** From the content's root, such as `retry.maxRetries`. */
  readonly path: string;
  /** undefined: the version doesn't have the field. */
  readonly before: unknown;
  readonly after: unknown;
}

/**
 * In what two contents differ, field by field, in the order of the later one's fields. Lists are compared, and told, as
 * a whole: which of their entries moved where is nothing that a list of agents or tags could tell.
 */
export function policyDiff(before: unknown, after: unknown): readonly PolicyFieldChange[] {
  const changes: PolicyFieldChange[] = [];
  compare('', before, after, changes);
  return changes;
}

function compare(path: string, before: unknown, after: unknown, changes: PolicyFieldChange[]): void {
  // A field that one of them lacks is told by its own fields: `strategy.weights.load`, before nothing.
  const isComposed = isObject(before)
    ? isObject(after) || after === undefined
    : isObject(after) && before === undefined;
  if (!isComposed) {
    if (!isSame(before, after)) changes.push({ path, before, after });
    return;
  }
  const left = entriesOf(before);
  const right = entriesOf(after);
  for (const field of new Set([...right.keys(), ...left.keys()])) {
    compare(path === '' ? field : `${path}.${field}`, left.get(field), right.get(field), changes);
  }
}

function entriesOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(isObject(value) ? Object.entries(value) : []);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whatever the order of the fields, since a database keeps its own. */
function isSame(before: unknown, after: unknown): boolean {
  if (Array.isArray(before) && Array.isArray(after)) {
    return before.length === after.length && before.every((each, index) => isSame(each, after[index]));
  }
  if (isObject(before) && isObject(after)) return policyDiff(before, after).length === 0;
  return Object.is(before, after);
}
