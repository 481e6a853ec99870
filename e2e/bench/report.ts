import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Prints rows under headings, columns aligned: the first to the left, figures to the right. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  return [line(headings), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n');
}

/** More digits would only show noise. */
const DIGITS = 4;

/** Merges figures into the JSON file that `REACH_BENCH_JSON` names, if it names one. */
export function mergeFigures(file: string | undefined, figures: Readonly<Record<string, number>>): void {
  if (file === undefined || file === '') return;
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>) : {};
  const rounded = Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, Number(value.toPrecision(DIGITS))]),
  );
  writeFileSync(file, `${JSON.stringify({ ...known, ...rounded }, null, 2)}\n`);
}

/** A figure with so many significant digits, without exponent. */
export function significant(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return '-';
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.max(Math.abs(value), 1e-9))));
  return value.toFixed(Math.min(decimals, 3));
}
