/** The value below which a share of the sorted values lies (nearest rank); NaN when there is none. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  const rank = Math.max(0, Math.ceil(share * sorted.length) - 1);
  return sorted[rank] ?? Number.NaN;
}

/** The middle value; of two middle ones the lower. */
export function median(values: readonly number[]): number {
  return percentile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
