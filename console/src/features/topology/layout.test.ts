import { describe, expect, it } from 'vitest';
import { layoutOf } from './layout';

const graph = (text: string) => {
  const arrows = text.split(' ').map((arrow) => {
    const [from = '', to = ''] = arrow.split('>');
    return { from, to };
  });
  const ids = [...new Set(arrows.flatMap(({ from, to }) => [from, to]))];
  return layoutOf(
    ids.map((id) => ({ id, height: 60 })),
    arrows,
  );
};

describe('boxes', () => {
  it('stand beside whom they call, callers left', () => {
    const { columns, height, places } = graph('a>b');
    expect(columns).toBe(2);
    expect(height).toBe(60);
    expect(Object.fromEntries(places)).toEqual({ a: { layer: 0, y: 30 }, b: { layer: 1, y: 30 } });
  });

  it('do not overlap, and begin at the top', () => {
    const { places, height } = graph('a>x a>y a>z');
    expect(['x', 'y', 'z'].map((id) => places.get(id)?.y).sort((a = 0, b = 0) => a - b)).toEqual([30, 108, 186]);
    expect(places.get('a')?.y).toBe(108);
    expect(height).toBe(216);
  });

  it('are ordered so that lines do not cross', () => {
    const { places } = graph('a>z b>y c>x');
    const order = (ids: string[]) =>
      [...ids].sort((a, b) => (places.get(a)?.y ?? 0) - (places.get(b)?.y ?? 0)).join('');
    expect(order(['x', 'y', 'z'])).toBe('zyx');
  });
});

describe('lines', () => {
  it('go around the columns between', () => {
    const { lines, places } = graph('a>b b>c a>c');
    const long = lines.find(({ from, to }) => from === 'a' && to === 'c');
    expect(long?.stops.map(({ layer }) => layer)).toEqual([0, 1, 2]);
    expect(Math.abs((long?.stops[1]?.y ?? 0) - (places.get('b')?.y ?? 0))).toBeGreaterThanOrEqual(30 + 11);
  });

  it('of both directions lie side by side', () => {
    const { lines } = graph('a>b b>a a>c');
    const [there, back] = [lines.find(({ to }) => to === 'b'), lines.find(({ to }) => to === 'a')];
    expect(there?.stops.map(({ layer }) => layer)).toEqual([0, 1]);
    expect(back?.stops.map(({ layer }) => layer)).toEqual([1, 0]);
    expect(there?.stops[1]?.y).not.toBe(back?.stops[0]?.y);
  });

  it('to the caller itself are not drawn', () => {
    expect(graph('a>a a>b').lines).toHaveLength(1);
  });
});

it('is the same in whichever order the graph is told', () => {
  const arrows = 'a>x b>x b>y c>a x>y y>b';
  expect(graph(arrows).places).toEqual(graph(arrows.split(' ').reverse().join(' ')).places);
});

it('of nothing is empty', () => {
  expect(layoutOf([], [])).toMatchObject({ columns: 0, height: 0, lines: [] });
});
