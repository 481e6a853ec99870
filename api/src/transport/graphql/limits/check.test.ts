import { ReachError } from '@agent-reach/sdk/protocol';
import { type GraphQLSchema, getIntrospectionQuery } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildReachSchema } from '../schema.js';
import { checkOperation } from './check.js';
import { LIMITS } from './limits.js';

let schema: GraphQLSchema;

beforeAll(async () => {
  schema = await buildReachSchema();
});

/** The measures by which a document is too large. */
function tooLarge(query: string): string[] {
  try {
    checkOperation(schema, { query, operationName: undefined, variables: {} }, LIMITS);
    return [];
  } catch (error) {
    if (!(error instanceof ReachError)) throw error;
    return (error.fields ?? []).map(({ path }) => path.replace('query.', ''));
  }
}

const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, n) => text(n)).join(' ');

describe('checkOperation', () => {
  it('takes what tools ask at their start', () => {
    expect(tooLarge(getIntrospectionQuery({ descriptions: true, inputValueDeprecation: true }))).toEqual([]);
  });

  it.each([
    [
      'the same object again and again',
      `{ agents { nodes { ${times(400, () => 'instances { ref }')} } } }`,
      'comparisons',
    ],
    ['the same field again and again', `{ viewer { ${times(500, () => 'name')} } }`, 'comparisons'],
    [
      'the same field through many fragments',
      `{ viewer { ${times(90, (n) => `...F${n}`)} } } ${times(90, (n) => `fragment F${n} on Viewer { name name }`)}`,
      'comparisons',
    ],
    [
      'many fragments',
      `{ ${times(101, (n) => `...F${n}`)} } ${times(101, (n) => `fragment F${n} on Query { __typename }`)}`,
      'spreads',
    ],
    [
      'fragments that nobody uses',
      `{ __typename } fragment F on Viewer { ${times(500, () => 'name')} }`,
      'comparisons',
    ],
    ['more fields than anybody reads', `{ viewer { ${times(1_001, (n) => `f${n}`)} } }`, 'fields'],
    [
      'fragments that double at each step',
      `{ viewer { ...F0 } } ${times(20, (n) => `fragment F${n} on Viewer { a { ...F${n + 1} } b { ...F${n + 1} } }`)}`,
      'fields',
    ],
  ])('refuses %s', (_name, query, measure) => {
    expect(tooLarge(query)).toContain(measure);
  });

  it.each([
    ['a field 100 times', `{ viewer { ${times(100, () => 'name')} } }`],
    ['an object 60 times', `{ agents { nodes { ${times(60, () => 'instances { ref }')} } } }`],
    [
      '60 fragments',
      `{ viewer { ${times(60, (n) => `...F${n}`)} } } ${times(60, (n) => `fragment F${n} on Viewer { kind }`)}`,
    ],
  ])('takes %s', (_name, query) => {
    expect(tooLarge(query)).toEqual([]);
  });
});
