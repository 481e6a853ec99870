import { duration, percent } from '@/ui/format';
import type { TopologyEdge, TopologyNode } from './topology.operations';

/** From which share of failures on an edge is marked as bad; below it, as a warning. */
export const BAD_FROM = 0.1;

export type EdgeTone = 'idle' | 'warn' | 'bad';

/**
 * What an edge looks like. Business errors are answers of a working agent: they warn, and alone never make an edge bad.
 */
export function edgeTone({ calls, failures, outcomes }: TopologyEdge): EdgeTone {
  if (failures === 0) return 'idle';
  const answered = outcomes.find(({ outcome }) => outcome === 'BUSINESS_ERROR')?.calls ?? 0;
  return (failures - answered) / calls >= BAD_FROM ? 'bad' : 'warn';
}

/** `0.2/min`, `14/min`, `2,310/min`. */
export function rate(callsPerMinute: number): string {
  if (callsPerMinute < 0.1) return '<0.1/min';
  const rounded = callsPerMinute < 10 ? callsPerMinute.toFixed(1).replace(/\.0$/, '') : Math.round(callsPerMinute);
  return `${rounded.toLocaleString('en')}/min`;
}

/** `8 % failed`; under one percent `<1 % failed`. Undefined when none did. */
export function failedShare({ failures, errorRate }: TopologyEdge): string | undefined {
  if (failures === 0) return undefined;
  return errorRate < 0.01 ? '<1 % failed' : `${percent(errorRate)} failed`;
}

/** The edge in one sentence, for those who don't see it drawn. */
export function edgeSentence(edge: TopologyEdge, from: string, to: string): string {
  const parts = [`${from} calls ${to}: ${rate(edge.callsPerMinute)}`];
  const failed = failedShare(edge);
  if (failed !== undefined) parts.push(failed);
  if (edge.latency !== null) parts.push(`95 % within ${duration(edge.latency.p95Ms)}`);
  return parts.join(', ');
}

/** A node's name where `namespace` is looked at: without it, when it is of it. */
export function nodeName({ name, namespace }: TopologyNode, lookedAt: string | undefined): string {
  return namespace === null || namespace === lookedAt ? name : `${namespace}/${name}`;
}

const KINDS = { AGENT: 'Agent', TOOL: 'Tool', API: 'API', DATASOURCE: 'Data source' } as const;

/** What a node is, in a word or two. */
export function nodeKind({ kind, agent }: TopologyNode): string {
  if (kind === 'APP') return 'Program';
  if (kind === 'USER') return 'Person';
  if (agent === null) return 'Deleted agent';
  return agent.kind === 'AGENT' ? agent.type : `${KINDS[agent.kind]} · ${agent.type}`;
}

/** Thickness of a line by its rate, in pixels: ten times the calls add as much again. */
export function lineWidth(callsPerMinute: number): number {
  return Math.min(8, 1.5 + 1.6 * Math.log10(1 + callsPerMinute));
}
