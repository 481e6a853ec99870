import { type FieldFault, ReachError } from '@agent-reach/sdk/protocol';
import type { Page, PageRequest } from '../../governance/page.js';
import type { Connection, ConnectionArgs } from './connection.js';

export const MAX_PAGE = 200;
export const DEFAULT_PAGE = 50;

/**
 * Checks the arguments of a list. `list` names the list and its order: a cursor is of use only where it was made.
 * Throws INVALID_INPUT.
 */
export function pageRequest(list: string, args: ConnectionArgs): PageRequest {
  const faults: FieldFault[] = [];
  const { first, last } = args;
  if (first != null && last != null) {
    faults.push({ path: 'last', got: `${last} beside first`, allowed: 'one of first and last' });
  }
  for (const [path, value] of [
    ['first', first],
    ['last', last],
  ] as const) {
    if (value != null && (value < 1 || value > MAX_PAGE)) {
      faults.push({ path, got: String(value), allowed: `1 to ${MAX_PAGE}` });
    }
  }
  const key = (path: 'after' | 'before'): readonly string[] | undefined => {
    const cursor = args[path];
    if (cursor == null) return undefined;
    const decoded = decodeCursor(list, cursor);
    if (decoded !== undefined) return decoded;
    faults.push({
      path,
      got: JSON.stringify(cursor.slice(0, 40)),
      allowed: 'a cursor that a page of this list, in this order, gave',
    });
    return undefined;
  };
  const request: PageRequest = {
    limit: first ?? last ?? DEFAULT_PAGE,
    direction: last == null ? 'FORWARD' : 'BACKWARD',
    after: key('after'),
    before: key('before'),
  };
  if (faults.length === 0) return request;
  throw new ReachError('INVALID_INPUT', 'The page asked for is not possible.', { fields: faults });
}

/** Makes the answer for a page. `keyOf` gives the values that the list is ordered by. */
export function connection<Item, Node>(
  list: string,
  page: Page<Item>,
  keyOf: (item: Item) => readonly string[],
  nodeOf: (item: Item) => Node,
): Connection<Node> {
  return connectionOfEdges(
    page.items.map((item) => ({ cursor: encodeCursor(list, keyOf(item)), node: nodeOf(item) })),
    page,
  );
}

export function connectionOfEdges<Node>(
  edges: Connection<Node>['edges'],
  page: Pick<Page<Node>, 'hasNextPage' | 'hasPreviousPage'>,
): Connection<Node> {
  return {
    edges,
    nodes: edges.map((edge) => edge.node),
    pageInfo: {
      hasNextPage: page.hasNextPage,
      hasPreviousPage: page.hasPreviousPage,
      startCursor: edges.at(0)?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}

/** An opaque cursor of a list. */
export function encodeCursor(list: string, key: readonly string[]): string {
  return Buffer.from(JSON.stringify([list, ...key])).toString('base64url');
}

function decodeCursor(list: string, cursor: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (!Array.isArray(value) || value.length < 2 || value[0] !== list) return undefined;
    const key: unknown[] = value.slice(1);
    return key.every((part) => typeof part === 'string') ? key : undefined;
  } catch {
    return undefined;
  }
}
