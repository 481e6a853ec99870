import { readFileSync } from 'node:fs';
import { buildASTSchema, type DocumentNode, Kind, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { SAVED_OPERATIONS } from './saved-operations';

// The printed schema of the API is the contract that these documents have to keep to.
const schema = buildASTSchema(parse(readFileSync(new URL('../../../../api/schema.graphql', import.meta.url), 'utf8')));

test.each(SAVED_OPERATIONS.map((saved) => [saved.id, saved] as const))(
  '%s is valid against the schema',
  (_id, saved) => {
    const document: DocumentNode = parse(saved.query);
    expect(validate(schema, document).map(({ message }) => message)).toEqual([]);
  },
);

test.each(SAVED_OPERATIONS.map((saved) => [saved.id, saved] as const))(
  '%s has variables for what it asks',
  (_id, saved) => {
    const [definition] = parse(saved.query).definitions;
    const names =
      definition?.kind === Kind.OPERATION_DEFINITION
        ? (definition.variableDefinitions ?? []).map(({ variable }) => variable.name.value)
        : [];
    expect(Object.keys(saved.variables(0))).toEqual(names);
  },
);
