import { type PolicyDraft, valueAt } from './policy-draft';

/** A row of PRIORITY_RATIO while it is typed. */
export interface RatioRow {
  readonly agent: string;
  readonly ratio: number | string;
}

/** The rows that a draft holds; what is no row at all is left to the JSON side. */
export function ratioRows(draft: PolicyDraft): readonly RatioRow[] {
  const agents = valueAt(draft, 'strategy.agents');
  if (!Array.isArray(agents)) return [];
  return agents.map((row: unknown) => {
    const { agent, ratio } = (typeof row === 'object' && row !== null ? row : {}) as Record<string, unknown>;
    return {
      agent: typeof agent === 'string' ? agent : '',
      ratio: typeof ratio === 'number' || typeof ratio === 'string' ? ratio : '',
    };
  });
}

/** Two decimals are what a person types; binary fractions must not show through. */
export function ratioSum(rows: readonly RatioRow[]): number {
  const sum = rows.reduce((total, { ratio }) => total + (typeof ratio === 'number' ? ratio : 0), 0);
  return Math.round(sum * 1e6) / 1e6;
}

/** Ratios in whole percents that sum to 100; the first ones take what doesn't divide. */
export function evenly(rows: readonly RatioRow[]): readonly RatioRow[] {
  const share = Math.floor(100 / rows.length);
  const rest = 100 - share * rows.length;
  return rows.map((row, index) => ({ ...row, ratio: share + (index < rest ? 1 : 0) }));
}

/** A list with one of its entries moved by `step` places; the same list when there is no such place. */
export function moved<T>(rows: readonly T[], index: number, step: -1 | 1): readonly T[] {
  const row = rows[index];
  const other = rows[index + step];
  if (row === undefined || other === undefined) return rows;
  const next = [...rows];
  next[index] = other;
  next[index + step] = row;
  return next;
}
