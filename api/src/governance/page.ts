import { ReachError } from '@agent-reach/sdk/protocol';

/** Which part of a list is asked for. Keys are the values that the list is ordered by, unique together. */
export interface PageRequest {
  /** 1 to 200 */
  readonly limit: number;
  /** From the start (or `after`), or from the end (or `before`). */
  readonly direction: 'FORWARD' | 'BACKWARD';
  readonly after: readonly string[] | undefined;
  readonly before: readonly string[] | undefined;
}

/** One part of a list, in the list's order. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/** Compares two keys, part by part. */
export function compareKeys(a: readonly string[], b: readonly string[]): number {
  for (let index = 0; index < a.length; index += 1) {
    const left = a[index] ?? '';
    const right = b[index] ?? '';
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

/** Takes a page out of a list in memory. `compare` orders keys; the list comes in any order. */
export function pageInMemory<T>(
  items: Iterable<T>,
  request: PageRequest,
  keyOf: (item: T) => readonly string[],
  compare: (a: readonly string[], b: readonly string[]) => number = compareKeys,
): Page<T> {
  const keyed = Array.from(items, (item) => ({ item, key: keyOf(item) }));
  keyed.sort((a, b) => compare(a.key, b.key));
  const { after, before, limit } = request;
  const from = after === undefined ? 0 : firstIndex(keyed, ({ key }) => compare(key, after) > 0);
  const to = before === undefined ? keyed.length : firstIndex(keyed, ({ key }) => compare(key, before) >= 0);
  const start = request.direction === 'FORWARD' ? from : Math.max(from, to - limit);
  const end = request.direction === 'FORWARD' ? Math.min(to, from + limit) : to;
  return {
    items: keyed.slice(start, end).map(({ item }) => item),
    hasNextPage: end < keyed.length,
    hasPreviousPage: start > 0,
  };
}

function firstIndex<T>(list: readonly T[], matches: (item: T) => boolean): number {
  const index = list.findIndex(matches);
  return index === -1 ? list.length : index;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** What Prisma's `findMany` takes for one page of a list that one column orders. */
export interface KeysetQuery {
  readonly take: number;
  readonly order: 'asc' | 'desc';
  /** Conditions on the ordering column. */
  readonly range: { readonly gt?: string; readonly lt?: string };
}

/**
 * Turns a page request into a keyset query; one row more than asked for is taken, to see whether there are more.
 * Throws INVALID_INPUT for a cursor whose key doesn't have the column's form.
 */
export function keysetQuery(request: PageRequest, isKey: (text: string) => boolean = isUuid): KeysetQuery {
  const part = (path: 'after' | 'before'): string | undefined => {
    const key = request[path];
    if (key === undefined) return undefined;
    const [text] = key;
    if (text !== undefined && isKey(text)) return text;
    throw new ReachError('INVALID_INPUT', `The cursor in ${path} is not one of this list.`, {
      fields: [{ path, got: 'a foreign cursor', allowed: 'a cursor that a page of this list gave' }],
    });
  };
  const gt = part('after');
  const lt = part('before');
  return {
    take: request.limit + 1,
    order: request.direction === 'FORWARD' ? 'asc' : 'desc',
    range: { ...(gt === undefined ? {} : { gt }), ...(lt === undefined ? {} : { lt }) },
  };
}

/** Makes the page out of the rows that a keyset query found. */
export function keysetPage<T>(request: PageRequest, rows: readonly T[]): Page<T> {
  const more = rows.length > request.limit;
  const items = rows.slice(0, request.limit);
  return request.direction === 'FORWARD'
    ? { items, hasNextPage: more, hasPreviousPage: request.after !== undefined }
    : { items: items.reverse(), hasNextPage: request.before !== undefined, hasPreviousPage: more };
}
