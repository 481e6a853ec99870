import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;

function parse(value: unknown): Date {
  if (typeof value === 'string' && ISO.test(value)) {
    const date = new Date(value);
    if (!Number.isNaN(date.getTime())) return date;
  }
  throw new GraphQLError('DateTime must be an ISO 8601 time with a zone, such as "2026-01-31T12:00:00.000Z".');
}

/** A point in time: out as ISO 8601 with milliseconds in UTC, in as ISO 8601 with any zone. */
export const DateTimeScalar = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description: 'A point in time, ISO 8601 with milliseconds in UTC, such as `2026-01-31T12:00:00.000Z`.',
  serialize(value) {
    const date = value instanceof Date ? value : new Date(value as string);
    return date.toISOString();
  },
  parseValue: parse,
  parseLiteral: (node) => parse(node.kind === Kind.STRING ? node.value : undefined),
});
