import { expect, test } from 'vitest';
import { schemaRows } from './schema-rows';

test('nested objects and lists become rows below their parent', () => {
  const rows = schemaRows({
    type: 'object',
    required: ['items'],
    properties: {
      items: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          required: ['sku'],
          properties: { sku: { type: 'string', description: 'Stock number' } },
        },
      },
      priority: { enum: ['low', 'high'], default: 'low' },
    },
  });
  expect(rows).toEqual([
    { path: 'items', type: 'list of object', required: true, notes: ['minItems 1'], description: '' },
    { path: 'items[].sku', type: 'string', required: true, notes: [], description: 'Stock number' },
    { path: 'priority', type: '"low" | "high"', required: false, notes: ['default low'], description: '' },
  ]);
});

test('a local reference is followed, also one that leads back to itself', () => {
  const rows = schemaRows({
    properties: { root: { $ref: '#/$defs/node' } },
    $defs: { node: { type: 'object', properties: { child: { $ref: '#/$defs/node' } } } },
  });
  expect(rows?.slice(0, 2)).toEqual([
    { path: 'root', type: 'object', required: false, notes: [], description: '' },
    { path: 'root.child', type: 'object', required: false, notes: [], description: '' },
  ]);
  expect(rows?.length).toBe(7);
});

test('a schema without properties has no rows', () => {
  expect(schemaRows(true)).toBeUndefined();
  expect(schemaRows({ type: 'string' })).toBeUndefined();
});
