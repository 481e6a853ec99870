import { type AgentRef, type CallerRef, namespaceOfCaller } from '@agent-reach/sdk/protocol';
import { byCapability, type CapabilityFigures, totalOf } from '../../../execute/topology/edge.js';
import type { Figures } from '../../../execute/topology/figures.js';
import type { CallEdge, TopologyReading } from '../../../execute/topology/topology.js';
import type { RegistryView } from '../../../perceive/ports.js';
import type {
  OutcomeCountType,
  TopologyCapabilityType,
  TopologyEdgeType,
  TopologyFilter,
  TopologyNodeType,
  TopologyType,
  UnroutedCallsType,
} from '../types/topology.types.js';
import { agentNode } from './registry.mapping.js';

/** Rates of a server that has only just started would be wild guesses: they are over this stretch at least, ms. */
const LEAST_COVERED_MS = 10_000;
const MINUTE_MS = 60_000;

/** The `first` busiest edges that match, with their ends. */
export function topologyNode(
  reading: TopologyReading,
  filter: TopologyFilter | null | undefined,
  first: number,
  registry: RegistryView,
): TopologyType {
  const matching = reading.edges.flatMap((edge) => matchOf(edge, filter));
  const reached = matching.filter(({ agent }) => agent !== undefined).sort((a, b) => b.total.calls - a.total.calls);
  const edges = reached.slice(0, first);
  const lost = new Map<CallerRef, CapabilityFigures[]>();
  for (const { caller, agent, capabilities } of matching) {
    if (agent === undefined) lost.set(caller, [...(lost.get(caller) ?? []), ...capabilities]);
  }
  const ids = new Set<CallerRef>(lost.keys());
  for (const { caller, agent } of edges) ids.add(caller).add(`agent:${agent}` as CallerRef);
  return {
    since: new Date(reading.since),
    until: new Date(reading.since + reading.coveredMs),
    nodes: [...ids].sort().map((id) => nodeOf(id, lost.get(id), reading, registry)),
    edges: edges.map((edge) => edgeNode(edge, reading)),
    omittedEdges: reached.length - edges.length,
    uncountedCalls: reading.uncounted,
  };
}

/** An edge, or what a filter leaves of it. */
interface Match extends CallEdge {
  readonly total: Figures;
}

/** As a list of one, or of none when nothing matches. */
function matchOf(edge: CallEdge, filter: TopologyFilter | null | undefined): readonly Match[] {
  const { node, capability } = filter ?? {};
  if (node != null && node !== edge.caller && node !== `agent:${edge.agent}`) return [];
  const capabilities = edge.capabilities.filter(({ name }) => capability == null || name === capability);
  return capabilities.length === 0 ? [] : [{ ...edge, capabilities, total: totalOf(capabilities) }];
}

function nodeOf(
  id: CallerRef,
  lost: readonly CapabilityFigures[] | undefined,
  reading: TopologyReading,
  registry: RegistryView,
): TopologyNodeType {
  const colon = id.indexOf(':');
  const ref = id.slice(colon + 1);
  const namespace = namespaceOfCaller(id) ?? null;
  const record = id.startsWith('agent:') ? registry.agent(ref as AgentRef) : undefined;
  return {
    id,
    kind: id.slice(0, colon).toUpperCase() as TopologyNodeType['kind'],
    name: namespace === null ? ref : ref.slice(namespace.length + 1),
    namespace,
    agent: record === undefined ? null : agentNode(record, registry.instances(record.ref)),
    unrouted: lost === undefined ? null : unroutedNode(lost, reading),
  };
}

/** What one caller asked for in vain, in whichever namespace. */
function unroutedNode(lost: readonly CapabilityFigures[], reading: TopologyReading): UnroutedCallsType {
  const capabilities = byCapability(lost);
  const total = totalOf(capabilities);
  return {
    calls: total.calls,
    outcomes: outcomesOf(total),
    capabilities: capabilities.map(capabilityNode),
    lastCallAt: new Date(reading.wallOf(total.lastAt)),
  };
}

function edgeNode({ caller, agent, capabilities, total }: Match, reading: TopologyReading): TopologyEdgeType {
  return {
    from: caller,
    to: `agent:${agent}`,
    calls: total.calls,
    callsPerMinute: (total.calls * MINUTE_MS) / Math.max(reading.coveredMs, LEAST_COVERED_MS),
    failures: total.failures,
    errorRate: total.failures / total.calls,
    outcomes: outcomesOf(total),
    fromMemory: total.fromMemory,
    latency: total.latency ?? null,
    lastCallAt: new Date(reading.wallOf(total.lastAt)),
    capabilities: capabilities.map(capabilityNode),
  };
}

function capabilityNode({ name, figures }: CapabilityFigures): TopologyCapabilityType {
  const { calls, failures, latency } = figures;
  return { name: name ?? null, calls, failures, latency: latency ?? null };
}

function outcomesOf({ failuresBy }: Figures): readonly OutcomeCountType[] {
  return Array.from(failuresBy, ([outcome, calls]) => ({ outcome, calls })).sort((a, b) => b.calls - a.calls);
}
