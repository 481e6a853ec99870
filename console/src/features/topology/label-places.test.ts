import { expect, it } from 'vitest';
import { labelPlaces } from './label-places';

const line = (...stops: [number, number][]) => ({
  from: 'a',
  to: 'b',
  stops: stops.map(([layer, y]) => ({ layer, y })),
});
const places = (...lines: ReturnType<typeof line>[]) =>
  labelPlaces(
    lines,
    (layer) => layer * 300 + 250,
    (layer) => layer * 300 + 100,
  );

it('stand in the middle of their lines, whichever way these go', () => {
  expect(places(line([0, 0], [1, 100]), line([2, 10], [1, 30]))).toEqual([
    { x: 250, y: 50 },
    { x: 550, y: 20 },
  ]);
});

it('do not lie upon each other', () => {
  expect(places(line([0, 0], [1, 100]), line([0, 100], [1, 0])).map(({ y }) => y)).toEqual([34, 66]);
});

it('of a line that passes a column stand in its lane there', () => {
  expect(places(line([0, 0], [1, 40], [2, 100]))).toEqual([{ x: 400, y: 40 }]);
});
