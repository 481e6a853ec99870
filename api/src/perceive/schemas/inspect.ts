import { CAPABILITY_LIMITS, isObject, type JsonSchema } from '@agent-reach/sdk/protocol';
import { SchemaFault } from './schema-fault.js';

/** Comparing each item with each other is quadratic, so the list must be short. */
const MAX_UNIQUE_ITEMS = 1_000;

/** Keywords that would let a schema reach beyond itself or change what a reference means. */
const FOREIGN = ['$dynamicRef', '$dynamicAnchor', '$recursiveRef', '$anchor'];

/** Checks size, depth, references and costly keywords, before any library walks the schema. Throws SchemaFault. */
export function inspect(schema: JsonSchema): void {
  const bytes = Buffer.byteLength(JSON.stringify(schema));
  if (bytes > CAPABILITY_LIMITS.maxSchemaBytes) {
    throw new SchemaFault('', `has ${bytes} bytes; allowed are ${CAPABILITY_LIMITS.maxSchemaBytes}`);
  }
  walk(schema, '', 0);
}

function walk(node: unknown, path: string, depth: number): void {
  if (depth > CAPABILITY_LIMITS.maxSchemaDepth) {
    throw new SchemaFault(path, `is nested deeper than ${CAPABILITY_LIMITS.maxSchemaDepth} levels`);
  }
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    const place = path === '' ? key : `${path}.${key}`;
    if (key === '$ref' && typeof value === 'string' && value !== '#' && !value.startsWith('#/')) {
      throw new SchemaFault(place, 'refers to another document; only references within the schema (#/...) are allowed');
    }
    if (FOREIGN.includes(key) && typeof value === 'string') {
      throw new SchemaFault(place, `uses ${key}; only plain references within the schema ($ref: #/...) are allowed`);
    }
    if (key === '$id' && path !== '' && typeof value === 'string') {
      throw new SchemaFault(place, 'names a part of itself with $id; only its root may have one');
    }
    walk(value, place, depth + 1);
  }
  if (isObject(node) && node.uniqueItems === true && !(Number(node.maxItems) <= MAX_UNIQUE_ITEMS)) {
    const place = path === '' ? 'uniqueItems' : `${path}.uniqueItems`;
    throw new SchemaFault(place, `has uniqueItems without maxItems of at most ${MAX_UNIQUE_ITEMS}`);
  }
}
