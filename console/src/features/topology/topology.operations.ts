import { operation } from '@/graphql/operation';
import type { AgentKind, Health } from '@/graphql/types';

export interface Latency {
  readonly p50Ms: number;
  readonly p95Ms: number;
}

export interface OutcomeCount {
  readonly outcome: string;
  readonly calls: number;
}

export interface CalledCapability {
  /** Null for those that the server does not tell apart. */
  readonly name: string | null;
  readonly calls: number;
}

export interface TopologyNode {
  readonly id: string;
  readonly kind: 'AGENT' | 'APP' | 'USER';
  readonly name: string;
  readonly namespace: string | null;
  /** Null for programs and people, and for agents that were deleted. */
  readonly agent: {
    readonly ref: string;
    readonly id: string;
    readonly type: string;
    readonly kind: AgentKind;
    readonly paused: boolean;
    readonly health: Health;
    readonly healthReason: string;
    readonly readyCount: number;
    readonly instanceCount: number;
  } | null;
  readonly unrouted: {
    readonly calls: number;
    readonly outcomes: readonly OutcomeCount[];
    readonly capabilities: readonly CalledCapability[];
    readonly lastCallAt: string;
  } | null;
}

export interface TopologyEdge {
  readonly from: string;
  readonly to: string;
  readonly calls: number;
  readonly callsPerMinute: number;
  readonly failures: number;
  /** 0 to 1. */
  readonly errorRate: number;
  readonly outcomes: readonly OutcomeCount[];
  readonly fromMemory: number;
  readonly latency: Latency | null;
  readonly lastCallAt: string;
  readonly capabilities: readonly CalledCapability[];
}

export interface Topology {
  readonly since: string;
  readonly until: string;
  readonly nodes: readonly TopologyNode[];
  readonly edges: readonly TopologyEdge[];
  readonly omittedEdges: number;
  readonly uncountedCalls: number;
}

export interface TopologyFilter {
  readonly node?: string;
  readonly capability?: string;
}

export const TOPOLOGY = operation<
  { topology: Topology },
  { namespace: string | null; windowMs: number; filter: TopologyFilter; first: number }
>(`
  query Topology($namespace: String, $windowMs: Int, $filter: TopologyFilter, $first: Int) {
    topology(namespace: $namespace, windowMs: $windowMs, filter: $filter, first: $first) {
      since until omittedEdges uncountedCalls
      nodes {
        id kind name namespace
        agent { ref id type kind paused health healthReason readyCount instanceCount }
        unrouted { calls lastCallAt outcomes { outcome calls } capabilities { name calls } }
      }
      edges {
        from to calls callsPerMinute failures errorRate fromMemory lastCallAt
        latency { p50Ms p95Ms }
        outcomes { outcome calls }
        capabilities { name calls }
      }
    }
  }
`);
