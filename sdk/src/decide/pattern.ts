/** The characters after which a prefix pattern may end in `*`. */
export const PREFIX_ENDS: readonly string[] = ['.', '_', '-', '/'];

/** Whether a pattern is exact, `*`, or a prefix ending in `*` after one of PREFIX_ENDS. */
export function isPattern(pattern: string): boolean {
  const star = pattern.indexOf('*');
  if (star === -1) return pattern.length > 0;
  if (star !== pattern.length - 1) return false;
  return star === 0 || PREFIX_ENDS.includes(pattern[star - 1] ?? '');
}

/** Whether a pattern (as isPattern allows it) matches a text. */
export function matches(pattern: string, text: string): boolean {
  if (!pattern.endsWith('*')) return pattern === text;
  return pattern.length === 1 || text.startsWith(pattern.slice(0, -1));
}

/** How narrow a pattern is: 0 for `*`, the prefix's length for a prefix, more than any prefix for an exact one. */
export function specificity(pattern: string): number {
  return pattern.endsWith('*') ? pattern.length - 1 : 1_000 + pattern.length;
}
