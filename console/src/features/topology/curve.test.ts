import { expect, it } from 'vitest';
import { curve } from './curve';

it('leads from the right side of a box to the left side of the next, and ends in a head', () => {
  expect(
    curve(
      [
        { x: 0, y: 10 },
        { x: 300, y: 50 },
      ],
      100,
      3,
    ),
  ).toEqual({ path: 'M100 10C195 10 195 50 290 50', head: 'M290 44L300 50L290 56Z' });
});

it('runs straight through a column between', () => {
  const { path } = curve(
    [
      { x: 0, y: 10 },
      { x: 300, y: 50 },
      { x: 600, y: 90 },
    ],
    100,
    3,
  );
  expect(path).toBe('M100 10C200 10 200 50 300 50H400C495 50 495 90 590 90');
});

it('leads back from the left side of a box to the right side of an earlier one', () => {
  expect(
    curve(
      [
        { x: 300, y: 50 },
        { x: 0, y: 10 },
      ],
      100,
      3,
    ),
  ).toEqual({ path: 'M300 50C205 50 205 10 110 10', head: 'M110 4L100 10L110 16Z' });
});
