import {
  type AgentRef,
  type AuditRecord,
  type AuditRecorder,
  type CallerRef,
  namespaceOfCaller,
} from '@agent-reach/sdk/protocol';
import type { Clock } from '../../perceive/clock.js';
import { type CapabilityFigures, Edge } from './edge.js';
import { History, type HistoryWindow, historyWindow, LONGEST_WINDOW_MS } from './history.js';
import type { AnsweredBy, Lane } from './lane.js';

/** What the memory of the topology is limited by. */
export interface TopologyBounds {
  /** Lanes (caller, agent and capability) that are counted; each takes about 9 kB. */
  readonly maxLanes: number;
  /** Namespaces in which the calls of one caller that reached no agent are told apart. */
  readonly maxUnrouted: number;
}

const BOUNDS: TopologyBounds = { maxLanes: 4_000, maxUnrouted: 16 };
/** Pairs of namespaces for which it is told how many calls were not counted. */
const MAX_PAIRS = 64;

/** The calls of one caller to one agent within a window. */
export interface CallEdge {
  readonly caller: CallerRef;
  /** Undefined for calls that reached no agent: nobody offers it, or nobody may be asked. */
  readonly agent: AgentRef | undefined;
  /** At least one, the most called first. */
  readonly capabilities: readonly CapabilityFigures[];
}

export interface TopologyReading {
  /** From when on calls count, ms since 1970. */
  readonly since: number;
  /** How many ms that is. */
  readonly coveredMs: number;
  readonly edges: readonly CallEdge[];
  /** Calls of the window that no edge holds, since there were too many different ones. */
  readonly uncounted: number;
  /** Monotonic ms as ms since 1970. */
  readonly wallOf: (monotonic: number) => number;
}

/** Which calls a reader may see: by the namespace of the caller (undefined: a person) and the one that was called. */
export type SeesCall = (callerNamespace: string | undefined, namespace: string) => boolean;

/** Who called whom lately. */
export interface TopologyView {
  /** `windowMs`: up to an hour. */
  read(windowMs: number, sees: SeesCall): TopologyReading;
}

interface CallerEdges {
  readonly toAgents: Map<string, Edge>;
  /** Calls that reached no agent, by the namespace that they were for. */
  readonly unrouted: Map<string, Edge>;
}

interface Uncounted {
  readonly callerNamespace: string | undefined;
  readonly namespace: string;
  readonly history: History;
  lastAt: number;
}

/**
 * Counts calls by caller, agent and capability over the last hour, from the records that audit gets, so that the two
 * agree. Lives in memory, bounded, and begins anew with the server. Counting a call of a known lane is three look-ups
 * in maps and a few additions.
 */
export class Topology implements TopologyView {
  readonly #callers = new Map<string, CallerEdges>();
  readonly #uncounted = new Map<string, Uncounted>();
  readonly #startedAt: number;
  #lanes = 0;

  /** `knows`: whether there is an agent of this name; what callers make up takes no place of its own. */
  constructor(
    private readonly deps: { readonly clock: Clock; readonly knows: (agent: AgentRef) => boolean },
    private readonly bounds: TopologyBounds = BOUNDS,
  ) {
    this.#startedAt = deps.clock.monotonic();
  }

  /** A recorder that counts the calls among the records that it passes on. */
  counting(recorder: AuditRecorder): AuditRecorder {
    return {
      record: (entry) => {
        recorder.record(entry);
        if (entry.action === 'call') this.#count(entry);
      },
    };
  }

  read(windowMs: number, sees: SeesCall): TopologyReading {
    const { clock } = this.deps;
    const now = clock.monotonic();
    const wall = clock.wall();
    const window = historyWindow(windowMs, now);
    const since = Math.max(window.since, this.#startedAt);
    const edges: CallEdge[] = [];
    for (const [name, { toAgents, unrouted }] of this.#callers) {
      const caller = name as CallerRef;
      const from = namespaceOfCaller(caller);
      for (const [agent, edge] of toAgents) {
        if (sees(from, agent.slice(0, agent.indexOf('/'))))
          edges.push(...edgeOf(caller, agent as AgentRef, edge, window));
      }
      for (const [namespace, edge] of unrouted) {
        if (sees(from, namespace)) edges.push(...edgeOf(caller, undefined, edge, window));
      }
    }
    const uncounted = new Float64Array(1);
    for (const { callerNamespace, namespace, history } of this.#uncounted.values()) {
      if (sees(callerNamespace, namespace)) history.sumInto(window, uncounted);
    }
    return {
      since: wall - (now - since),
      coveredMs: now - since,
      edges,
      uncounted: uncounted[0] ?? 0,
      wallOf: (monotonic) => wall - (now - monotonic),
    };
  }

  /** Frees what was not called for an hour; the composition root calls it every few seconds. */
  expire(): void {
    const since = this.deps.clock.monotonic() - LONGEST_WINDOW_MS;
    for (const [caller, { toAgents, unrouted }] of this.#callers) {
      for (const edges of [toAgents, unrouted]) {
        for (const [name, edge] of edges) {
          this.#lanes -= edge.expire(since);
          if (edge.isEmpty) edges.delete(name);
        }
      }
      if (toAgents.size === 0 && unrouted.size === 0) this.#callers.delete(caller);
    }
    for (const [pair, { lastAt }] of this.#uncounted) if (lastAt < since) this.#uncounted.delete(pair);
  }

  #count(record: AuditRecord): void {
    const { onBehalfOf, actor, target, capability = '', outcome, durationMs = 0 } = record;
    const monotonic = this.deps.clock.monotonic();
    const caller = onBehalfOf ?? actor;
    const lane =
      this.#callers.get(caller)?.toAgents.get(target)?.lane(capability) ?? this.#open(caller, record, capability);
    if (lane === undefined) this.#leaveOut(caller, record, monotonic);
    else lane.count(outcome, durationMs, answeredBy(record), monotonic);
  }

  /** The lane of calls that no agent's edge holds yet; undefined when there is no room for another. */
  #open(caller: string, { target, namespace }: AuditRecord, capability: string): Lane | undefined {
    const known = this.#callers.get(caller);
    const place = this.deps.knows(target as AgentRef) ? 'toAgents' : 'unrouted';
    const end = place === 'toAgents' ? target : namespace;
    const edge = known?.[place].get(end);
    const lane = edge?.lane(capability);
    if (lane !== undefined) return lane;
    const { maxLanes, maxUnrouted } = this.bounds;
    if (this.#lanes >= maxLanes) return undefined;
    if (edge === undefined && place === 'unrouted' && (known?.unrouted.size ?? 0) >= maxUnrouted) return undefined;
    this.#lanes++;
    const edges = known ?? { toAgents: new Map(), unrouted: new Map() };
    if (known === undefined) this.#callers.set(caller, edges);
    const grown = edge ?? new Edge();
    if (edge === undefined) edges[place].set(end, grown);
    return grown.open(capability);
  }

  #leaveOut(caller: string, { namespace }: AuditRecord, monotonic: number): void {
    const callerNamespace = namespaceOfCaller(caller as CallerRef);
    const pair = `${callerNamespace} ${namespace}`;
    let uncounted = this.#uncounted.get(pair);
    if (uncounted === undefined) {
      if (this.#uncounted.size >= MAX_PAIRS) return;
      uncounted = { callerNamespace, namespace, history: new History(1), lastAt: monotonic };
      this.#uncounted.set(pair, uncounted);
    }
    uncounted.lastAt = monotonic;
    uncounted.history.turnTo(monotonic);
    uncounted.history.add(0);
  }
}

function answeredBy({ details, attempts = 0 }: AuditRecord): AnsweredBy {
  if (details.cached === true || details.replayed === true) return 'MEMORY';
  return attempts > 0 ? 'ASKED' : 'NEITHER';
}

/** As a list of one, or of none when nothing was called within the window. */
function edgeOf(
  caller: CallerRef,
  agent: AgentRef | undefined,
  edge: Edge,
  window: HistoryWindow,
): readonly CallEdge[] {
  const capabilities = edge.capabilities(window);
  return capabilities.length === 0 ? [] : [{ caller, agent, capabilities }];
}
