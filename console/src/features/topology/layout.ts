import { type Arrow, layersOf } from './layers';
import { stack } from './stack';

export interface Box {
  readonly id: string;
  readonly height: number;
}

/** Where a line passes: at the middle of a column's width. */
export interface Stop {
  readonly layer: number;
  readonly y: number;
}

export interface Line extends Arrow {
  /** From the caller's side to the side of who is called, through the columns between. */
  readonly stops: readonly Stop[];
}

/** Columns are numbered from the left; `y` is a middle, in pixels from the top. */
export interface Layout {
  readonly columns: number;
  readonly height: number;
  readonly places: ReadonlyMap<string, Stop>;
  readonly lines: readonly Line[];
}

const GAP = 18;
/** Room that a line takes where it passes a column. */
const LANE_HEIGHT = 22;
const SWEEPS = 8;
/** Distance between lines at the side of a box, at most. */
const PORT_GAP = 12;

/** What stands in a column: a box, or a line on its way. */
interface Item {
  readonly id: string;
  readonly layer: number;
  readonly height: number;
  readonly left: Link[];
  readonly right: Link[];
  y: number;
}

/** The end of one stretch of a line at a side of an item. */
interface Link {
  /** What stands at the other end. */
  readonly item: Item;
}

/** Draws a graph in columns, callers left. The same graph is always drawn the same. */
export function layoutOf(boxes: readonly Box[], arrows: readonly Arrow[]): Layout {
  const sorted = [...boxes].sort((a, b) => (a.id < b.id ? -1 : 1));
  const layers = layersOf(
    sorted.map(({ id }) => id),
    arrows,
  );
  const items = new Map<string, Item>();
  const item = (id: string, layer: number, height: number): Item => {
    const made: Item = { id, layer, height, left: [], right: [], y: 0 };
    items.set(id, made);
    return made;
  };
  for (const { id, height } of sorted) item(id, layers.get(id) ?? 0, height);
  const ways = [...arrows]
    .sort((a, b) => (`${a.from} ${a.to}` < `${b.from} ${b.to}` ? -1 : 1))
    .flatMap((arrow) => wayOf(arrow, items, item));
  const columns = columnsOf([...items.values()]);
  order(columns);
  place(columns);
  const top = Math.min(...[...items.values()].map(({ y, height }) => y - height / 2));
  for (const each of items.values()) each.y = Math.round(each.y - top);
  const height = Math.max(0, ...[...items.values()].map((each) => each.y + each.height / 2));
  return {
    columns: columns.length,
    height,
    places: new Map(sorted.map(({ id }) => [id, stopOf(items.get(id))])),
    lines: ways.map((way) => lineOf(way)),
  };
}

interface Way extends Arrow {
  /** From left to right, two at least. */
  readonly items: readonly Item[];
  readonly firstLink: Link;
  readonly lastLink: Link;
  /** Leads from right to left. */
  readonly back: boolean;
}

/** As a list of one, or of none for a call to itself. */
function wayOf(
  { from, to }: Arrow,
  items: ReadonlyMap<string, Item>,
  make: (id: string, layer: number, height: number) => Item,
): readonly Way[] {
  const source = items.get(from);
  const target = items.get(to);
  if (source === undefined || target === undefined || source === target) return [];
  const back = source.layer > target.layer;
  const [left, right] = back ? [target, source] : [source, target];
  const way = [left];
  for (let layer = left.layer + 1; layer < right.layer; layer++) {
    way.push(make(`${from} ${to} ${layer}`, layer, LANE_HEIGHT));
  }
  way.push(right);
  let [firstLink, lastLink]: (Link | undefined)[] = [];
  for (const [index, each] of way.entries()) {
    const next = way[index + 1];
    if (next === undefined) break;
    const ahead = { item: next };
    lastLink = { item: each };
    firstLink ??= ahead;
    each.right.push(ahead);
    next.left.push(lastLink);
  }
  if (firstLink === undefined || lastLink === undefined) return [];
  return [{ from, to, items: way, firstLink, lastLink, back }];
}

function columnsOf(items: readonly Item[]): Item[][] {
  const columns: Item[][] = [];
  for (const each of items) {
    while (columns.length <= each.layer) columns.push([]);
    columns[each.layer]?.push(each);
  }
  return columns;
}

/** Puts the columns in an order with few crossings: each item near the mean of its neighbours, left and right in turn. */
function order(columns: Item[][]): void {
  let best = columns.map((column) => [...column]);
  let fewest = crossings(best);
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
    const side = sweep % 2 === 0 ? 'left' : 'right';
    for (const column of side === 'left' ? columns : [...columns].reverse()) sortByNeighbours(columns, column, side);
    const found = crossings(columns);
    if (found >= fewest) continue;
    fewest = found;
    best = columns.map((column) => [...column]);
  }
  for (const [index, column] of best.entries()) columns[index] = column;
}

function sortByNeighbours(columns: readonly Item[][], column: Item[], side: 'left' | 'right'): void {
  const positions = positionsOf(columns);
  const wish = new Map(
    column.map((each) => {
      const near = each[side];
      const sum = near.reduce((total, link) => total + (positions.get(link.item) ?? 0), 0);
      return [each, near.length === 0 ? (positions.get(each) ?? 0) : sum / near.length];
    }),
  );
  column.sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0));
}

function positionsOf(columns: readonly Item[][]): ReadonlyMap<Item, number> {
  return new Map(columns.flatMap((column) => column.map((each, index) => [each, index] as const)));
}

function crossings(columns: readonly Item[][]): number {
  const positions = positionsOf(columns);
  let count = 0;
  for (const column of columns) {
    const ends = column.flatMap((each, index) =>
      each.right.map((link) => [index, positions.get(link.item) ?? 0] as const),
    );
    for (const [index, [fromA, toA]] of ends.entries()) {
      for (const [fromB, toB] of ends.slice(index + 1)) if ((fromA - fromB) * (toA - toB) < 0) count++;
    }
  }
  return count;
}

/** Gives each item its height in the column, near the mean of its neighbours. */
function place(columns: readonly Item[][]): void {
  for (const column of columns) settle(column, () => 0);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const column of sweep % 2 === 0 ? columns : [...columns].reverse()) {
      settle(column, ({ left, right, y }) => {
        const near = [...left, ...right];
        return near.length === 0 ? y : near.reduce((sum, link) => sum + link.item.y, 0) / near.length;
      });
    }
  }
}

function settle(column: readonly Item[], wish: (item: Item) => number): void {
  const wanted = column.map((each) => ({ wanted: wish(each), height: each.height }));
  for (const [index, y] of stack(wanted, GAP).entries()) {
    const each = column[index];
    if (each !== undefined) each.y = y;
  }
}

/** Lines part at the side of a box, in the order of where they lead. */
function lineOf({ from, to, items, firstLink, lastLink, back }: Way): Line {
  const stops = items.map((each, index) => {
    if (index === 0) return { layer: each.layer, y: each.y + portOf(each, each.right, firstLink) };
    if (index === items.length - 1) return { layer: each.layer, y: each.y + portOf(each, each.left, lastLink) };
    return { layer: each.layer, y: each.y };
  });
  return { from, to, stops: back ? stops.reverse() : stops };
}

function portOf(box: Item, side: readonly Link[], link: Link): number {
  const index = [...side].sort((a, b) => a.item.y - b.item.y).indexOf(link);
  const step = Math.min(PORT_GAP, (box.height - PORT_GAP) / side.length);
  return (index - (side.length - 1) / 2) * step;
}

function stopOf(item: Item | undefined): Stop {
  return { layer: item?.layer ?? 0, y: item?.y ?? 0 };
}
