import { describe, expect, it } from 'vitest';
import { describeMatrix, runMatrix } from './matrix/matrix.js';

describe('the matrix of faults', () => {
  it('keeps its rules in every row: what is not idempotent is executed at most once, and counters come to rest', async () => {
    const { rows, failures } = await runMatrix();
    console.log(describeMatrix(rows));
    expect(failures).toEqual([]);
    expect(rows.filter((row) => row.broken.length > 0).map(({ fault, broken }) => ({ fault, broken }))).toEqual([]);
    expect(rows).toHaveLength(76);
  }, 300_000);
});
