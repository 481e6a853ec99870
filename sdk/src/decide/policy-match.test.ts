import { describe, expect, it } from 'vitest';
import { matches } from './pattern.js';
import type { PolicyMatch } from './policy.js';
import { covers } from './policy-match.js';

const match = (capability: string, caller = '*', tags: readonly string[] = []): PolicyMatch => ({
  capability,
  caller,
  tags,
});

describe('covers', () => {
  it.each([
    ['*', 'order.*', true],
    ['*', '*', true],
    ['order.*', 'order.find', true],
    ['order.*', 'order.*', true],
    ['order.*', 'order.find.*', true],
    ['order.find.*', 'order.*', false],
    ['order.*', '*', false],
    ['order.find', 'order.*', false],
    ['order.find', 'order.find', true],
    ['order.find', 'order.make', false],
    ['order.*', 'orders.*', false],
    ['order.*', 'order', false],
  ])('capability %s over %s: %s', (one, other, expected) => {
    expect(covers(match(one), match(other))).toBe(expected);
  });

  it('agrees with what the patterns match', () => {
    const patterns = ['*', 'a.*', 'a.b.*', 'a_*', 'a', 'a.b', 'a.b.c', 'b', 'b-*', 'b-c'];
    const texts = [...patterns.map((each) => each.replace('*', 'zz')), 'a.', 'a.b.', 'x', 'a.bb', 'b-'];
    for (const one of patterns) {
      for (const other of patterns) {
        const all = texts.filter((text) => matches(other, text)).every((text) => matches(one, text));
        expect(`${one} over ${other}: ${covers(match(one), match(other))}`).toBe(`${one} over ${other}: ${all}`);
      }
    }
  });

  it('asks for the caller and for tags as well', () => {
    expect(covers(match('*', 'agent:shop/*'), match('q', 'agent:shop/web'))).toBe(true);
    expect(covers(match('*', 'agent:shop/web'), match('q', '*'))).toBe(false);
    expect(covers(match('*', '*', ['a']), match('q', '*', ['b', 'a']))).toBe(true);
    expect(covers(match('*', '*', ['a', 'c']), match('q', '*', ['b', 'a']))).toBe(false);
  });
});
