import { describe, expect, it } from 'vitest';
import { PointBuckets } from './point-buckets.js';
import { seeded } from './testing.js';

function slotsFrom(points: PointBuckets, place: number): number[] {
  const slots: number[] = [];
  points.from(place, (slot) => slots.push(slot) > 0);
  return slots;
}

describe('the points of a ring', () => {
  it('come in order of position from any place on, once round', () => {
    const random = seeded(1);
    const points = new PointBuckets((slot, other) => slot > other);
    const positions = Array.from({ length: 5000 }, () => Math.floor(random() * 2 ** 32));
    positions.forEach((position, slot) => {
      points.put(position, slot);
    });
    const order = positions.map((_, slot) => slot).sort((a, b) => (positions[a] ?? 0) - (positions[b] ?? 0));
    for (const place of [0, 1, 2 ** 31, 2 ** 32 - 1, positions[17] ?? 0]) {
      const first = order.findIndex((slot) => (positions[slot] ?? 0) >= place);
      const expected = first < 0 ? order : [...order.slice(first), ...order.slice(0, first)];
      expect(slotsFrom(points, place)).toEqual(expected);
    }
    expect(points.size).toBe(5000);
  });

  it('that crowd one place stay in order, and go again', () => {
    const points = new PointBuckets((slot, other) => slot > other);
    for (let slot = 0; slot < 500; slot++) points.put(1000 - slot, slot);
    expect(slotsFrom(points, 0)).toEqual(Array.from({ length: 500 }, (_, index) => 499 - index));
    for (let slot = 0; slot < 500; slot += 2) points.take(1000 - slot, slot);
    points.take(5, 7);
    expect(slotsFrom(points, 900)).toEqual([
      ...Array.from({ length: 50 }, (_, index) => 99 - 2 * index),
      ...Array.from({ length: 200 }, (_, index) => 499 - 2 * index),
    ]);
    expect(points.size).toBe(250);
  });

  it('at the same position are ordered by their owners, not by who came first', () => {
    const names = ['c', 'a', 'b'];
    const points = new PointBuckets((slot, other) => (names[slot] ?? '') > (names[other] ?? ''));
    for (const slot of [0, 1, 2]) points.put(77, slot);
    expect(slotsFrom(points, 0)).toEqual([1, 2, 0]);
  });
});
