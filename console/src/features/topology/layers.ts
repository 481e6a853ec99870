/** A call from one node to another, by their ids. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
}

/**
 * The column of each node: callers left, whom they call right of them. Arrows that lead back into a circle are left out
 * of account, the same ones whenever the graph is the same.
 */
export function layersOf(ids: readonly string[], arrows: readonly Arrow[]): ReadonlyMap<string, number> {
  const forward = withoutCircles(ids, arrows);
  const layers = new Map<string, number>();
  const layerOf = (id: string): number => {
    const known = layers.get(id);
    if (known !== undefined) return known;
    const callers = forward.filter(({ to }) => to === id);
    const layer = callers.length === 0 ? 0 : 1 + Math.max(...callers.map(({ from }) => layerOf(from)));
    layers.set(id, layer);
    return layer;
  };
  for (const id of ids) layerOf(id);
  return layers;
}

/** Those that a walk from the callers meets before it comes back to where it was. */
function withoutCircles(ids: readonly string[], arrows: readonly Arrow[]): readonly Arrow[] {
  const surplus = (id: string): number =>
    arrows.filter(({ from }) => from === id).length - arrows.filter(({ to }) => to === id).length;
  const order = [...ids].sort((a, b) => surplus(b) - surplus(a) || (a < b ? -1 : 1));
  const kept: Arrow[] = [];
  const state = new Map<string, 'ON_THE_WAY' | 'DONE'>();
  const walk = (id: string): void => {
    state.set(id, 'ON_THE_WAY');
    for (const arrow of arrows.filter(({ from }) => from === id).sort((a, b) => (a.to < b.to ? -1 : 1))) {
      if (state.get(arrow.to) === 'ON_THE_WAY') continue;
      kept.push(arrow);
      if (!state.has(arrow.to)) walk(arrow.to);
    }
    state.set(id, 'DONE');
  };
  for (const id of order) if (!state.has(id)) walk(id);
  return kept;
}
