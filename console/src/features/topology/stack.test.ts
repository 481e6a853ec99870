import { expect, it } from 'vitest';
import { stack } from './stack';

const at = (...wanted: number[]) => wanted.map((each) => ({ wanted: each, height: 20 }));

it('lets each stand where it wants, when there is room', () => {
  expect(stack(at(0, 100, 140), 10)).toEqual([0, 100, 140]);
});

it('makes room around the mean of those that are too near', () => {
  expect(stack(at(50, 50), 10)).toEqual([35, 65]);
  expect(stack(at(0, 100, 100, 90), 10)).toEqual([
    0,
    expect.closeTo(66.67),
    expect.closeTo(96.67),
    expect.closeTo(126.67),
  ]);
});

it('keeps the order, whatever is wanted', () => {
  expect(stack(at(100, 0), 0)).toEqual([40, 60]);
});

it('takes the height of each into account', () => {
  expect(
    stack(
      [
        { wanted: 0, height: 40 },
        { wanted: 0, height: 20 },
      ],
      10,
    ),
  ).toEqual([-20, 20]);
});

it('stacks nothing', () => {
  expect(stack([], 10)).toEqual([]);
});
