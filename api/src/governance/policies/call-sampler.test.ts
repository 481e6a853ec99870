import { describe, expect, it } from 'vitest';
import { CallSampler } from './call-sampler.js';

/** How many of so many calls within one second are recorded. */
function offer(sampler: CallSampler, count: number, second: number, weight = 1): number {
  let taken = 0;
  for (let index = 0; index < count; index += 1) {
    if (!sampler.wants(second * 1_000 + (index * 1_000) / count)) continue;
    sampler.took(weight);
    taken += 1;
  }
  return taken;
}

const sampler = () => new CallSampler({ perSecond: 100, random: () => 0.5 });

describe('CallSampler', () => {
  it('takes every call of calm seconds', () => {
    const calm = sampler();
    expect([offer(calm, 99, 1), offer(calm, 50, 2), offer(calm, 99, 3), calm.every]).toEqual([99, 50, 99, 1]);
  });

  it('takes ever fewer of a burst, so that the first second of it costs little and the next ones less', () => {
    const busy = sampler();
    expect(offer(busy, 20_000, 1)).toBe(479);
    expect(busy.every).toBe(256);
    expect([offer(busy, 20_000, 2), offer(busy, 20_000, 3)]).toEqual([78, 78]);
  });

  it('takes fewer of calls that cost more', () => {
    const busy = sampler();
    offer(busy, 20_000, 1, 25);
    expect(offer(busy, 20_000, 2, 25)).toBe(2);
  });

  it('takes every call again when the burst is over, step by step or after a pause', () => {
    const busy = sampler();
    offer(busy, 400, 1);
    expect(busy.every).toBe(8);
    for (const second of [2, 3, 4, 5]) offer(busy, 10, second);
    expect(busy.every).toBe(1);
    offer(busy, 20_000, 6);
    offer(busy, 1, 8);
    expect(busy.every).toBe(1);
  });

  it('goes on from what is recorded when the ring is full, and back when it has room', () => {
    const full = sampler();
    full.thin();
    full.thin();
    expect([full.every, offer(full, 80, 1)]).toEqual([4, 20]);
    expect([full.thicken(), full.thicken(), full.thicken(), full.every]).toEqual([true, true, false, 1]);
    offer(full, 400, 2);
    full.thin();
    expect(full.every).toBe(16);
  });
});
