import { sameJson } from '@/ui/diff';

type Json = Readonly<Record<string, unknown>>;

/**
 * What was changed from `base` to `mine`, put on top of `theirs`: a field that only one side changed keeps that change,
 * a field that both changed is mine. Lists count as one field, and so does the strategy with its settings once either
 * side took another one: half of two strategies would be none.
 */
export function rebase(base: unknown, mine: unknown, theirs: unknown): unknown {
  if (sameJson(base, mine)) return theirs;
  if (sameJson(base, theirs)) return mine;
  if (!isObject(base) || !isObject(mine) || !isObject(theirs)) return mine;
  if (base.name !== mine.name || base.name !== theirs.name) return mine;
  const keys = [...new Set([...Object.keys(theirs), ...Object.keys(mine)])];
  return Object.fromEntries(
    keys
      .map((key) => [key, rebase(base[key], mine[key], theirs[key])] as const)
      .filter(([, value]) => value !== undefined),
  );
}

/** The paths that both sides changed, and not to the same: there a rebase takes mine. */
export function clashes(base: unknown, mine: unknown, theirs: unknown, path = ''): string[] {
  if (sameJson(base, mine) || sameJson(base, theirs) || sameJson(mine, theirs)) return [];
  if (!isObject(base) || !isObject(mine) || !isObject(theirs)) return [path];
  if (base.name !== mine.name || base.name !== theirs.name) return [path];
  const keys = [...new Set([...Object.keys(base), ...Object.keys(theirs), ...Object.keys(mine)])];
  return keys.flatMap((key) => clashes(base[key], mine[key], theirs[key], path === '' ? key : `${path}.${key}`));
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
