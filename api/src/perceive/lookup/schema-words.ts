import type { JsonSchema } from '@agent-reach/sdk/protocol';
import { isObject } from '@agent-reach/sdk/protocol';

/** Bounds of what is read of one schema: it comes from strangers. */
const MAX_TEXTS = 80;
const MAX_CHARACTERS = 600;
const MAX_DEPTH = 8;

/** Keywords whose value is a schema, a list of schemas, or an object of schemas by name. */
const INNER = ['items', 'prefixItems', 'additionalProperties', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'];
const NAMED = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];

/** What a schema says in words: names of properties, titles, descriptions, and texts that a value may be. */
export function schemaTexts(schema: JsonSchema | undefined): string {
  const texts: string[] = [];
  let characters = 0;
  const add = (text: unknown): void => {
    if (typeof text !== 'string' || texts.length >= MAX_TEXTS || characters >= MAX_CHARACTERS) return;
    const taken = text.slice(0, MAX_CHARACTERS - characters);
    texts.push(taken);
    characters += taken.length;
  };
  const walk = (value: unknown, depth: number): void => {
    if (depth > MAX_DEPTH || texts.length >= MAX_TEXTS) return;
    if (Array.isArray(value)) {
      for (const each of value) walk(each, depth + 1);
      return;
    }
    if (!isObject(value)) return;
    add(value.title);
    add(value.description);
    add(value.const);
    if (Array.isArray(value.enum)) for (const each of value.enum) add(each);
    for (const keyword of NAMED) {
      const named = value[keyword];
      if (!isObject(named)) continue;
      for (const [name, inner] of Object.entries(named)) {
        if (keyword === 'properties') add(name);
        walk(inner, depth + 1);
      }
    }
    for (const keyword of INNER) walk(value[keyword], depth + 1);
  };
  walk(schema, 0);
  return texts.join('\n');
}
