import type { Arrow } from './layers';
import type { Box } from './layout';

export interface Graph {
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
}

/** How many times what is there may be remembered before the drawing starts afresh. */
const MOST = 2;

/**
 * What to lay out: what is there, and what was there before, so that a drawing which is refreshed every few seconds keeps
 * its places when calls pause. Returns `before` itself when nothing has to move.
 */
export function rememberedGraph(before: Graph | undefined, now: Graph): Graph {
  if (before === undefined) return now;
  const boxes = new Map(before.boxes.map((box) => [box.id, box]));
  const arrows = new Map(before.arrows.map((arrow) => [keyOf(arrow), arrow]));
  let moved = false;
  for (const box of now.boxes) {
    if (box.height <= (boxes.get(box.id)?.height ?? 0)) continue;
    boxes.set(box.id, box);
    moved = true;
  }
  for (const arrow of now.arrows) {
    if (arrows.has(keyOf(arrow))) continue;
    arrows.set(keyOf(arrow), arrow);
    moved = true;
  }
  if (boxes.size > MOST * now.boxes.length || arrows.size > MOST * now.arrows.length) return now;
  return moved ? { boxes: [...boxes.values()], arrows: [...arrows.values()] } : before;
}

/** Names an arrow among the others. */
export function keyOf({ from, to }: Arrow): string {
  return `${from} ${to}`;
}
