/** Something that stands in a column: at best at `wanted` (its middle), `height` high. */
export interface Standing {
  readonly wanted: number;
  readonly height: number;
}

/**
 * The middles of what stands in a column in this order, as near as possible (by least squares) to where each wants to
 * be, with a gap between them. Neighbours that would overlap form a block around the mean of their wishes (isotonic
 * regression by pooling adjacent violators).
 */
export function stack(column: readonly Standing[], gap: number): readonly number[] {
  const offsets: number[] = [];
  let offset = 0;
  for (const [index, { height }] of column.entries()) {
    if (index > 0) offset += (height + (column[index - 1]?.height ?? 0)) / 2 + gap;
    offsets.push(offset);
  }
  const blocks: { sum: number; count: number }[] = [];
  for (const [index, { wanted }] of column.entries()) {
    let block = { sum: wanted - (offsets[index] ?? 0), count: 1 };
    for (let last = blocks.at(-1); last !== undefined && mean(last) > mean(block); last = blocks.at(-1)) {
      blocks.pop();
      block = { sum: last.sum + block.sum, count: last.count + block.count };
    }
    blocks.push(block);
  }
  return blocks
    .flatMap((block) => new Array<number>(block.count).fill(mean(block)))
    .map((start, index) => start + (offsets[index] ?? 0));
}

function mean({ sum, count }: { readonly sum: number; readonly count: number }): number {
  return sum / count;
}
