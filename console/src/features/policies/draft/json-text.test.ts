import { expect, test } from 'vitest';
import { readJson, writeJson } from './json-text';

test('what is written can be read', () => {
  const value = { priority: 3, match: { tags: ['a\n"b"'] }, list: [[], {}, -1.5e3, null, true] };
  expect(readJson(writeJson(value))).toEqual({ value });
});

test.each([
  ['{\n  "priority": 3,\n  "strategy": }', 'This is no JSON yet: line 3, column 15, did not expect }.'],
  ['{ "priority": 03 }', 'This is no JSON yet: line 1, column 16, did not expect 3.'],
  ['{ "tags": ["a",] }', 'This is no JSON yet: line 1, column 16, did not expect ].'],
  ['{\n  "priority": 3', 'This is no JSON yet: line 2, column 16, the text ends too early.'],
  ['{} {}', 'This is no JSON yet: line 1, column 4, did not expect {.'],
  ['', 'This is no JSON yet: line 1, column 1, the text ends too early.'],
  ['[1]', 'The JSON must be an object, { … }.'],
  ['null', 'The JSON must be an object, { … }.'],
])('%j is refused with its place', (text, fault) => {
  expect(readJson(text)).toEqual({ fault });
});
