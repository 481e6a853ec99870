import { readFileSync } from 'node:fs';
import {
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildReachSchema, printReachSchema } from './schema.js';

let schema: GraphQLSchema;

beforeAll(async () => {
  schema = await buildReachSchema();
});

function undescribed(): string[] {
  const missing: string[] = [];
  const check = (place: string, { description }: { readonly description?: string | null | undefined }): void => {
    if (description == null || description.trim().length < 2) missing.push(place);
  };
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__') || isSpecifiedScalarType(type)) continue;
    const isRoot = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].some(
      (root) => root === type,
    );
    if (!isRoot) check(type.name, type);
    if (isEnumType(type)) for (const value of type.getValues()) check(`${type.name}.${value.name}`, value);
    if (isInputObjectType(type))
      for (const field of Object.values(type.getFields())) check(`${type.name}.${field.name}`, field);
    if (isObjectType(type) || isInterfaceType(type)) {
      for (const field of Object.values(type.getFields())) {
        check(`${type.name}.${field.name}`, field);
        for (const arg of field.args) check(`${type.name}.${field.name}(${arg.name})`, arg);
      }
    }
  }
  return missing;
}

describe('the GraphQL schema', () => {
  it('is the one that is committed (npm run schema:print writes it)', () => {
    const committed = readFileSync(new URL('../../../schema.graphql', import.meta.url), 'utf8');
    expect(printReachSchema(schema)).toBe(committed);
  });

  it('describes every type, field, argument and enum value', () => {
    expect(undescribed()).toEqual([]);
  });
});
