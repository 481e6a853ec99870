import { expect, it } from 'vitest';
import { schemaTexts } from './schema-words.js';

it('a schema says its property names, titles, descriptions and possible values, at any depth', () => {
  const schema = {
    type: 'object',
    title: 'Query',
    properties: {
      orderId: { type: 'string', description: 'Number of the order' },
      filter: { anyOf: [{ properties: { state: { enum: ['PAID', 7, 'SENT'] } } }, { const: 'ALL' }] },
      items: { type: 'array', items: { $ref: '#/$defs/item' } },
    },
    $defs: { item: { properties: { sku: { type: 'string' } } } },
  };
  expect(schemaTexts(schema).split('\n')).toEqual([
    'Query',
    'orderId',
    'Number of the order',
    'filter',
    'state',
    'PAID',
    'SENT',
    'ALL',
    'items',
    'sku',
  ]);
});

it('says nothing where there is nothing to say', () => {
  expect([schemaTexts(true), schemaTexts(undefined), schemaTexts({})]).toEqual(['', '', '']);
});

it('is read no further than its bounds', () => {
  const wide = { properties: Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`p${n}`, {}])) };
  expect(schemaTexts(wide).split('\n')).toHaveLength(80);
  expect(schemaTexts({ description: 'x'.repeat(50_000) })).toHaveLength(600);
  let deep: object = { title: 'bottom' };
  for (let level = 0; level < 100; level++) deep = { properties: { inner: deep } };
  expect(schemaTexts(deep as never)).not.toContain('bottom');
});
