import type { TopologyEdge, TopologyNode } from './topology.operations';

/** The range of the audit that holds a window of so many minutes. */
function rangeOf(minutes: number): string {
  return minutes <= 15 ? '15m' : '1h';
}

/** The calls of an edge in the audit. */
export function edgeHref({ from, to }: TopologyEdge, minutes: number, outcome?: 'FAILED'): string {
  return auditHref({ caller: from, target: to.slice('agent:'.length), ...(outcome && { outcome }) }, minutes);
}

/** The page of an agent; the calls of a program, a person or an agent that was deleted. */
export function nodeHref({ id, agent, namespace }: TopologyNode, minutes: number): string {
  return agent === null ? auditHref({ caller: id }, minutes) : `/agents/${namespace}/${agent.id}`;
}

/** The calls of a node that failed in one way. */
export function outcomeHref(caller: string, outcome: string, minutes: number): string {
  return auditHref({ caller, outcome }, minutes);
}

function auditHref(filter: Readonly<Record<string, string>>, minutes: number): string {
  return `/audit?${new URLSearchParams({ kind: 'CALL', ...filter, range: rangeOf(minutes) })}`;
}
