import { describe, expect, it } from 'vitest';
import { hash32, hash53, otherHash32 } from './hash.js';

// Kept as numbers: if one of them changed, every key would move at the next update.
describe('the hashes stay what they are', () => {
  it.each([
    ['', 2872998923, 2460297100, 1450860005456907],
    ['a', 444641715, 2280103271, 2143390988808627],
    ['shop/orders/a', 4011607840, 1324775482, 6324644002678560],
    ['客户', 2267516859, 2631920828, 8986018743553979],
  ])('%j', (text, first, second, both) => {
    expect(hash32(text)).toBe(first);
    expect(otherHash32(text)).toBe(second);
    expect(hash53(text)).toBe(both);
  });

  it('100,000 similar keys have 100,000 different hashes', () => {
    const hashes = new Set(Array.from({ length: 100_000 }, (_, index) => hash53(`p shop q customer-${index}`)));
    expect(hashes.size).toBe(100_000);
  });
});
