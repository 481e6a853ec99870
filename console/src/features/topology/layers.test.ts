import { expect, it } from 'vitest';
import { layersOf } from './layers';

const layers = (arrows: string) => {
  const pairs = arrows.split(' ').map((arrow) => {
    const [from = '', to = ''] = arrow.split('>');
    return { from, to };
  });
  const ids = [...new Set(pairs.flatMap(({ from, to }) => [from, to]))].sort();
  return Object.fromEntries(layersOf(ids, pairs));
};

it('puts whom somebody calls right of all who call it', () => {
  expect(layers('a>b b>c a>c')).toEqual({ a: 0, b: 1, c: 2 });
  expect(layers('a>c b>c')).toEqual({ a: 0, b: 0, c: 1 });
});

it('begins a circle where most calls leave it', () => {
  expect(layers('a>b b>a b>c')).toEqual({ b: 0, a: 1, c: 1 });
  expect(layers('a>b b>c c>a x>b')).toEqual({ x: 0, b: 1, c: 2, a: 3 });
});

it('takes no notice of calls to itself', () => {
  expect(layers('a>a a>b')).toEqual({ a: 0, b: 1 });
});
