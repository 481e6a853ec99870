import type { Line } from './layout';
import { stack } from './stack';

/** Where the words of a line stand: their middle. */
export interface LabelPlace {
  readonly x: number;
  readonly y: number;
}

export const LABEL_HEIGHT = 30;

/**
 * The middle of each line, by index: in the gap before the first column it comes to, moved up or down where labels of
 * one gap would lie upon each other. A line that passes a column has a lane of its own there, and its label in it.
 *
 * @param gapMiddle x of the gap to the right of a column
 * @param columnMiddle x of a column
 */
export function labelPlaces(
  lines: readonly Line[],
  gapMiddle: (layer: number) => number,
  columnMiddle: (layer: number) => number,
): readonly LabelPlace[] {
  const places: LabelPlace[] = [];
  const gaps = new Map<number, { readonly index: number; readonly wanted: number }[]>();
  for (const [index, { stops }] of lines.entries()) {
    const [first, second] = stops;
    if (first === undefined || second === undefined) continue;
    if (stops.length > 2) {
      places[index] = { x: columnMiddle(second.layer), y: second.y };
      continue;
    }
    const gap = Math.min(first.layer, second.layer);
    gaps.set(gap, [...(gaps.get(gap) ?? []), { index, wanted: (first.y + second.y) / 2 }]);
  }
  for (const [gap, labels] of gaps) {
    labels.sort((a, b) => a.wanted - b.wanted || a.index - b.index);
    const middles = stack(
      labels.map(({ wanted }) => ({ wanted, height: LABEL_HEIGHT })),
      2,
    );
    for (const [order, { index }] of labels.entries()) places[index] = { x: gapMiddle(gap), y: middles[order] ?? 0 };
  }
  return places;
}
