/** To microseconds: enough for people, and a short number is quicker to print than seventeen digits. */
export function roundedMs(ms: number): number {
  return Math.round(ms * 1_000) / 1_000;
}

/** To four decimals. */
export function roundedScore(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
