import { describe, expect, it } from 'vitest';
import { compact, termsOf, wordsOf } from './words.js';

const terms = (text: string) => wordsOf(text).map(({ term }) => term);

describe('the words of what is looked for', () => {
  it.each([
    [
      'identifiers at their separators and capitals',
      'order_query weatherForecast HTTPServer a2b.c-x',
      'order queri weather forecast http server a2b c x',
    ],
    ['English by their stems', 'translations translated translating', 'translat'],
    ['without case, accents and full-width forms', 'CAFÉ ｏｒｄｅｒｓ', 'cafe order'],
    ['without the wrapping of a request', 'please tell me where I can find the orders', 'find order'],
    ['without numbers, which are values', 'state of order 4711', 'state order'],
    ['Chinese by the dictionary', '我要查询订单状态', '查询 订单 状态'],
    ['longer Chinese words as pairs', '信用卡', '信用 用卡'],
    ['Chinese and English without a space between', '查询order的状态', '查询 order 状态'],
    ['other scripts as they are', 'заказ Straße', 'заказ straße'],
  ])('are cut: %s', (_what, text, expected) => {
    expect([...new Set(terms(text))].join(' ')).toBe(expected);
  });

  it('are all there when none of them says anything', () => {
    expect(terms('what is it')).toEqual(['what', 'is', 'it']);
    expect(terms('4711')).toEqual(['4711']);
    expect(terms('!?')).toEqual([]);
  });

  it('know what stands across the border of a Chinese word, should the dictionary have cut wrongly', () => {
    expect(wordsOf('开发票')).toMatchObject([
      { raw: '开发', borders: ['发票'] },
      { raw: '票', borders: ['发票'] },
    ]);
  });
});

it('a text is indexed under its words and, of Chinese, all pairs of characters', () => {
  expect(termsOf('Query the orders: 查询订单')).toEqual(['queri', 'order', '查询', '询订', '订单']);
  expect(termsOf('查')).toEqual(['查']);
});

it('spellings of one name are the same when compact', () => {
  const spellings = ['order_query', 'Order Query', 'orderQuery', 'order-query', ' ORDER.QUERY '];
  expect(new Set(spellings.map(compact))).toEqual(new Set(['orderquery']));
});
