export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Length of the head of an arrow, in pixels; a thick line has a larger one. */
const HEAD = 7;

/**
 * A line through columns, as SVG paths: leaves the box at the side it goes to, runs straight through the columns between
 * and ends in a head at the box that is called.
 *
 * @param stops left sides of the columns, from the caller on
 * @param columnWidth in pixels
 * @param width of the line, in pixels
 */
export function curve(
  stops: readonly Point[],
  columnWidth: number,
  width: number,
): { readonly path: string; readonly head: string } {
  const [first] = stops;
  const last = stops.at(-1);
  if (first === undefined || last === undefined) return { path: '', head: '' };
  const direction = last.x >= first.x ? 1 : -1;
  const leaving = direction > 0 ? columnWidth : 0;
  const coming = columnWidth - leaving;
  const size = HEAD + width;
  let at = { x: first.x + leaving, y: first.y };
  let path = `M${at.x} ${at.y}`;
  for (const stop of stops.slice(1)) {
    const end = { x: stop.x + coming - (stop === last ? direction * size : 0), y: stop.y };
    const middle = (at.x + end.x) / 2;
    path += `C${middle} ${at.y} ${middle} ${end.y} ${end.x} ${end.y}`;
    at = end;
    if (stop === last) break;
    at = { x: stop.x + leaving, y: stop.y };
    path += `H${at.x}`;
  }
  const half = size * 0.6;
  return { path, head: `M${at.x} ${at.y - half}L${at.x + direction * size} ${at.y}L${at.x} ${at.y + half}Z` };
}
