import { expect, it } from 'vitest';
import { type Graph, rememberedGraph } from './remembered-graph';

const graph = (...arrows: string[]): Graph => {
  const pairs = arrows.map((arrow) => {
    const [from = '', to = ''] = arrow.split('>');
    return { from, to };
  });
  const ids = [...new Set(pairs.flatMap(({ from, to }) => [from, to]))];
  return { boxes: ids.map((id) => ({ id, height: 60 })), arrows: pairs };
};

it('keeps the places of what pauses', () => {
  const before = graph('a>b', 'a>c');
  expect(rememberedGraph(before, graph('a>b'))).toBe(before);
  expect(rememberedGraph(before, graph('a>c', 'a>b'))).toBe(before);
});

it('takes in what is new beside what was there', () => {
  const now = rememberedGraph(graph('a>b', 'a>c'), graph('a>b', 'b>d'));
  expect(now.arrows.map(({ from, to }) => `${from}>${to}`)).toEqual(['a>b', 'a>c', 'b>d']);
  expect(now.boxes.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
});

it('makes room for a box that grew, and keeps it when it shrinks again', () => {
  const small = graph('a>b');
  const large = { ...small, boxes: small.boxes.map((box) => ({ ...box, height: 84 })) };
  const grown = rememberedGraph(small, large);
  expect(grown.boxes.map(({ height }) => height)).toEqual([84, 84]);
  expect(rememberedGraph(grown, small)).toBe(grown);
});

it('starts afresh when most of it is gone', () => {
  const now = graph('a>b');
  expect(rememberedGraph(graph('a>b', 'c>d', 'e>f'), now)).toBe(now);
  expect(rememberedGraph(undefined, now)).toBe(now);
});
