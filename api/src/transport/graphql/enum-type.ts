import { registerEnumType } from 'type-graphql';

/**
 * Declares a GraphQL enum from its values and their descriptions. Returns the object by which fields name it; values
 * are the strings themselves, so that the unions of the core need no translation.
 */
export function enumType<const Value extends string>(
  name: string,
  description: string,
  values: Readonly<Record<Value, string>>,
): { readonly [Name in Value]: Name } {
  const names = Object.keys(values) as Value[];
  const object = Object.fromEntries(names.map((value) => [value, value])) as { readonly [Name in Value]: Name };
  const valuesConfig = Object.fromEntries(names.map((value) => [value, { description: values[value] }]));
  registerEnumType<object>(object, { name, description, valuesConfig });
  return object;
}
