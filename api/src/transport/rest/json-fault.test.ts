import { describe, expect, it } from 'vitest';
import { jsonFault } from './json-fault.js';

describe('a text that is no JSON', () => {
  it.each([
    ['', 'line 1, column 1'],
    ['{', 'line 1, column 2'],
    ['{"a":b}', 'line 1, column 6'],
    ['{"a":tru}', 'line 1, column 6'],
    ['{"a":1,}', 'line 1, column 8'],
    ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3'],
    ["{'a': 1}", 'line 1, column 2'],
    ['{"a" 1}', 'line 1, column 6'],
    ['{"a":"x\ny"}', 'line 1, column 8'],
    ['{"a":"x\\y"}', 'line 1, column 9'],
    ['{"a":"x', 'line 1, column 8'],
    ['[1,2', 'line 1, column 5'],
    ['[1,]', 'line 1, column 4'],
    ['[1}', 'line 1, column 3'],
    ['[01]', 'line 1, column 3'],
    ['{} x', 'line 1, column 4'],
    ['NaN', 'line 1, column 1'],
    ['\ufeff{}', 'line 1, column 1'],
  ])('%j breaks at %s', (text, where) => {
    expect(jsonFault(text)).toBe(where);
    expect(() => JSON.parse(text)).toThrow();
  });

  it.each(['{}', ' [ ] ', '0', '-1.5e+3', '"\\u00e9\\n"', 'null', '{"a":[{},[1,{"b":false}],"x"],"c":""}'])(
    '%s is one',
    (text) => {
      expect(jsonFault(text)).toBeUndefined();
      expect(() => JSON.parse(text)).not.toThrow();
    },
  );

  it('is told from JSON as JSON.parse does', () => {
    const whole = '{"a":[1,-2.5e3,true,null,"x\\"y"],"b":{"c":{}}}';
    const odd = ['', ',', '}', ']', '"', '1', ' ', '\\', '{', ':'];
    for (let at = 0; at <= whole.length; at++) {
      for (const char of odd) {
        for (const cut of [0, 1]) {
          const text = whole.slice(0, at) + char + whole.slice(at + cut);
          expect([text, jsonFault(text) === undefined]).toEqual([text, parses(text)]);
        }
      }
    }
  });
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
