import { describe, expect, it } from 'vitest';
import { Vocabulary } from './vocabulary.js';

function vocabulary(...terms: string[]): Vocabulary<string> {
  const made = new Vocabulary<string>();
  for (const term of terms) made.fetch(term, true, () => term);
  return made;
}

describe('a vocabulary', () => {
  it.each([
    ['a letter missing', 'invntory', 'inventory'],
    ['a letter too many', 'inventtory', 'inventory'],
    ['a wrong letter', 'inventury', 'inventory'],
    ['two letters exchanged', 'inventroy', 'inventory'],
    ['a letter that moved', 'nventoryi', 'inventory'],
    ['an error in a short word', 'ordr', 'order'],
  ])('finds a term by a typing error: %s', (_what, typed, term) => {
    const near = vocabulary('order', 'inventory', 'weather').near(typed, 5);
    expect(near.map((each) => each.value)).toEqual([term]);
  });

  it('puts nearer terms first, and takes no more than asked', () => {
    const near = vocabulary('stock', 'stack', 'stick').near('stok', 2);
    expect(near.map(({ term, distance }) => [term, distance])).toEqual([['stock', 1]]);
    expect(
      vocabulary('stock', 'stack', 'stick')
        .near('stck', 2)
        .map(({ term }) => term),
    ).toEqual(['stack', 'stick']);
  });

  it('takes short words for no error of others, and no short word for two errors', () => {
    expect(vocabulary('pay', 'may').near('say', 5)).toEqual([]);
    expect(vocabulary('border').near('older', 5)).toEqual([]);
  });

  it('finds longer terms by their beginning', () => {
    const known = vocabulary('pay', 'payment', 'payout', 'price');
    expect(known.beginningWith('pay', 5).map(({ term, distance }) => [term, distance])).toEqual([
      ['payment', 4],
      ['payout', 3],
    ]);
    expect(known.beginningWith('pay', 1)).toHaveLength(1);
    expect(
      vocabulary('查询', '查找', '订单')
        .beginningWith('查', 5)
        .map(({ term }) => term),
    ).toEqual(['查询', '查找']);
  });

  it('forgives errors only in terms that somebody asked it for', () => {
    const known = new Vocabulary<number>();
    known.fetch('order', false, () => 1);
    expect(known.near('ordr', 5)).toEqual([]);
    expect(known.fetch('order', true, () => 2)).toBe(1);
    expect(known.near('ordr', 5).map(({ value }) => value)).toEqual([1]);
  });

  it('forgets a term in every way', () => {
    const known = vocabulary('order', 'orders');
    known.delete('order');
    known.delete('never there');
    expect(known.get('order')).toBeUndefined();
    expect(known.near('ordr', 5)).toEqual([]);
    expect(known.beginningWith('ord', 5).map(({ term }) => term)).toEqual(['orders']);
  });
});
