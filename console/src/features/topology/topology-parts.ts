import type { Topology, TopologyEdge, TopologyNode } from './topology.operations';

/** The edges on which calls failed, and callers that reached nobody. */
export function onlyFailing(topology: Topology): Topology {
  const edges = topology.edges.filter(({ failures }) => failures > 0);
  return { ...topology, edges, nodes: withEnds(topology, edges) };
}

/** The nodes that some of the edges need, and callers that reached nobody. */
export function withEnds({ nodes }: Topology, edges: readonly TopologyEdge[]): readonly TopologyNode[] {
  const ends = new Set(edges.flatMap(({ from, to }) => [from, to]));
  return nodes.filter(({ id, unrouted }) => unrouted !== null || ends.has(id));
}
