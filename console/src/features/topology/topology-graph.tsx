'use client';

import { useElementSize } from '@mantine/hooks';
import { useMemo, useRef, useState } from 'react';
import { ScrollRegion } from '@/ui/scroll-region';
import { GraphEdge } from './graph-edge';
import { GraphNode, NODE_WIDTH, nodeHeight } from './graph-node';
import { labelPlaces } from './label-places';
import { layoutOf } from './layout';
import { type Graph, keyOf, rememberedGraph } from './remembered-graph';
import type { TopologyEdge, TopologyNode } from './topology.operations';
import classes from './topology-graph.module.css';
import { nodeName } from './topology-words';

/** Room between columns: as much as there is, within these bounds, so that words fit and lines stay lines. */
const MIN_GAP = 96;
const MAX_GAP = 240;
const MARGIN = 16;

/** Who calls whom as a drawing, callers left. Keeps its places while the figures of one question move. */
export function TopologyGraph({
  question,
  nodes,
  edges,
  namespace,
  minutes,
}: {
  question: string;
  nodes: readonly TopologyNode[];
  edges: readonly TopologyEdge[];
  namespace: string | undefined;
  minutes: number;
}) {
  const { ref, width } = useElementSize();
  const remembered = useRef<{ readonly question: string; readonly graph: Graph }>(undefined);
  const before = remembered.current?.question === question ? remembered.current.graph : undefined;
  const graph = rememberedGraph(before, {
    boxes: nodes.map((node) => ({ id: node.id, height: nodeHeight(node) })),
    arrows: edges.map(({ from, to }) => ({ from, to })),
  });
  remembered.current = { question, graph };
  const layout = useMemo(() => layoutOf(graph.boxes, graph.arrows), [graph]);
  const [pointed, setPointed] = useState<string>();

  // Nothing is shown before there is a width to draw for.
  const free = (width - 2 * MARGIN - layout.columns * NODE_WIDTH) / Math.max(1, layout.columns - 1);
  const gap = Math.floor(Math.min(MAX_GAP, Math.max(MIN_GAP, free)));
  const left = (layer: number) => MARGIN + layer * (NODE_WIDTH + gap);
  const whole = { width: left(layout.columns - 1) + NODE_WIDTH + MARGIN, height: layout.height + 2 * MARGIN };
  const labels = labelPlaces(
    layout.lines,
    (layer) => left(layer) + NODE_WIDTH + gap / 2,
    (layer) => left(layer) + NODE_WIDTH / 2,
  );
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const byKey = new Map(edges.map((edge) => [keyOf(edge), edge]));
  const nameOf = (id: string) => {
    const node = byId.get(id);
    return node === undefined ? id : nodeName(node, namespace);
  };
  const drawn = layout.lines.flatMap((line, index) => {
    const edge = byKey.get(keyOf(line));
    const label = labels[index];
    return edge === undefined || label === undefined ? [] : [{ edge, line, label }];
  });
  const isQuiet = ({ from, to }: TopologyEdge) => pointed !== undefined && pointed !== from && pointed !== to;

  return (
    <div ref={ref}>
      <ScrollRegion label="Graph of calls" className={classes.frame}>
        <div className={classes.canvas} style={{ ...whole, visibility: width === 0 ? 'hidden' : undefined }}>
          <ul className={classes.list} aria-label="Lines">
            {drawn.map(({ edge, line, label }) => (
              <GraphEdge
                key={keyOf(edge)}
                edge={edge}
                stops={line.stops.map(({ layer, y }) => ({ x: left(layer), y: y + MARGIN }))}
                label={{ x: label.x, y: label.y + MARGIN }}
                canvas={whole}
                from={nameOf(edge.from)}
                to={nameOf(edge.to)}
                minutes={minutes}
                quiet={isQuiet(edge)}
              />
            ))}
          </ul>
          <ul className={classes.list} aria-label="Callers and agents">
            {nodes.map((node) => {
              const place = layout.places.get(node.id);
              return place === undefined ? null : (
                <GraphNode
                  key={node.id}
                  node={node}
                  x={left(place.layer)}
                  y={place.y + MARGIN}
                  name={nameOf(node.id)}
                  minutes={minutes}
                  onPoint={(on) => setPointed(on ? node.id : undefined)}
                />
              );
            })}
          </ul>
        </div>
      </ScrollRegion>
    </div>
  );
}
