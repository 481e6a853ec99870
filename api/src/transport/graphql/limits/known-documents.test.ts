import { parse } from 'graphql';
import { expect, it } from 'vitest';
import { KnownDocuments } from './known-documents.js';

const document = parse('{ viewer { name } }');

it('keeps the hundred that were asked for last', () => {
  const known = new KnownDocuments();
  for (let number = 0; number < 100; number++) known.keep(`q${number}`, document);
  expect(known.get('q0')).toBe(document);
  known.keep('q100', document);
  expect([known.get('q0'), known.get('q1'), known.get('q100')]).toEqual([document, undefined, document]);
});

it('keeps nothing large', () => {
  const known = new KnownDocuments();
  known.keep('#'.repeat(8_193), document);
  expect(known.get('#'.repeat(8_193))).toBeUndefined();
});
