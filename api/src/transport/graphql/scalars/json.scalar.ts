import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';

const MAX_DEPTH = 64;

/** Refuses what would not survive being parsed and printed, instead of changing it. */
function check(value: unknown, depth = 0): void {
  if (depth > MAX_DEPTH) throw new GraphQLError(`JSON may be nested at most ${MAX_DEPTH} deep.`);
  if (typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)) {
    throw new GraphQLError('JSON numbers must lie between -(2^53 - 1) and 2^53 - 1; send larger ones as strings.');
  }
  if (typeof value !== 'object' || value === null) return;
  for (const child of Object.values(value)) check(child, depth + 1);
}

function fromLiteral(node: ValueNode, variables: Readonly<Record<string, unknown>> | null | undefined): unknown {
  switch (node.kind) {
    case Kind.STRING:
    case Kind.BOOLEAN:
    case Kind.ENUM:
      return node.value;
    case Kind.INT:
    case Kind.FLOAT:
      return Number(node.value);
    case Kind.NULL:
      return null;
    case Kind.VARIABLE:
      return variables?.[node.name.value];
    case Kind.LIST:
      return node.values.map((item) => fromLiteral(item, variables));
    case Kind.OBJECT:
      // fromEntries defines own properties, so that a key like `__proto__` stays plain data
      return Object.fromEntries(node.fields.map((field) => [field.name.value, fromLiteral(field.value, variables)]));
  }
}

/** Any JSON value. */
export const JsonScalar = new GraphQLScalarType<unknown, unknown>({
  name: 'JSON',
  description: 'Any JSON value. Numbers beyond ±(2^53 - 1) are refused.',
  serialize: (value) => value,
  parseValue(value) {
    check(value);
    return value;
  },
  parseLiteral(node, variables) {
    const value = fromLiteral(node, variables);
    check(value);
    return value;
  },
});
