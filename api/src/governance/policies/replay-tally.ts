import type { RecordedDecision, RouteExplanation } from '@agent-reach/sdk/decide';
import type { AgentRef, InstanceRef } from '@agent-reach/sdk/protocol';

/** Calls that would go another way, together with others that would take the same one. */
export interface ReplayMove {
  readonly from: AgentRef | null;
  readonly fromInstance: InstanceRef | null;
  /** `OK`, or the error that the call got. */
  readonly fromOutcome: string;
  readonly to: AgentRef | null;
  readonly toInstance: InstanceRef | null;
  readonly toOutcome: string;
  readonly calls: number;
}

/** What became of recorded calls under a draft. Each replayed call is unknown, or concerned, or none of the draft's. */
export interface ReplaySummary {
  readonly replayed: number;
  /** Calls that the draft decides, or that the policy which it replaces decided. */
  readonly concerned: number;
  /** Concerned calls that would go to another instance, or end another way. */
  readonly moved: number;
  /** Calls of which it can't be told. */
  readonly unknown: number;
  /** When the oldest of the replayed calls was decided, ms since 1970. */
  readonly since: number | null;
  /** The most frequent ways first. */
  readonly moves: readonly ReplayMove[];
  /** Moved calls that took a way which is not listed. */
  readonly movesLeftOut: number;
  /** Why it can't be told; a call can have several reasons. */
  readonly unknownReasons: readonly { readonly reason: string; readonly calls: number }[];
}

const MAX_MOVES = 200;
const MAX_REASONS = 50;
const OTHER_REASONS = 'other reasons';

/** Counts what became of recorded calls under a draft. */
export class ReplayTally {
  /** The draft's id, and that of the policy which it replaces. */
  readonly #policy: string;
  readonly #ways = new Map<string, { readonly way: Omit<ReplayMove, 'calls'>; calls: number }>();
  readonly #reasons = new Map<string, number>();
  #replayed = 0;
  #concerned = 0;
  #moved = 0;
  #unknown = 0;
  #since: number | null = null;

  constructor(policy: string) {
    this.#policy = policy;
  }

  add(wall: number, recorded: RecordedDecision, replayed: RouteExplanation): void {
    this.#count(wall);
    if (replayed.unknown.length > 0) {
      this.#addUnknown(replayed.unknown);
      return;
    }
    if (replayed.policy.id !== this.#policy && recorded.policy.id !== this.#policy) return;
    this.#concerned += 1;
    const chosen = replayed.chosen ?? null;
    const before = recorded.chosen ?? null;
    if (chosen === before && replayed.outcome === recorded.outcome) return;
    this.#moved += 1;
    const key = `${before} ${recorded.outcome} ${chosen} ${replayed.outcome}`;
    const known = this.#ways.get(key);
    if (known !== undefined) {
      known.calls += 1;
      return;
    }
    const way = {
      from: agentOf(before),
      fromInstance: before,
      fromOutcome: recorded.outcome,
      to: agentOf(chosen),
      toInstance: chosen,
      toOutcome: replayed.outcome,
    };
    this.#ways.set(key, { way, calls: 1 });
  }

  /** A recorded call that could not be replayed at all. */
  addFailure(wall: number, reason: string): void {
    this.#count(wall);
    this.#addUnknown([reason]);
  }

  get summary(): ReplaySummary {
    const moves = Array.from(this.#ways.values(), ({ way, calls }): ReplayMove => ({ ...way, calls }))
      .sort((a, b) => b.calls - a.calls)
      .slice(0, MAX_MOVES);
    const listed = moves.reduce((sum, { calls }) => sum + calls, 0);
    return {
      replayed: this.#replayed,
      concerned: this.#concerned,
      moved: this.#moved,
      unknown: this.#unknown,
      since: this.#since,
      moves,
      movesLeftOut: this.#moved - listed,
      unknownReasons: Array.from(this.#reasons, ([reason, calls]) => ({ reason, calls })).sort(
        (a, b) => b.calls - a.calls,
      ),
    };
  }

  #count(wall: number): void {
    this.#replayed += 1;
    this.#since = Math.min(wall, this.#since ?? wall);
  }

  #addUnknown(reasons: readonly string[]): void {
    this.#unknown += 1;
    for (const reason of new Set(reasons)) {
      const known = this.#reasons.size < MAX_REASONS || this.#reasons.has(reason) ? reason : OTHER_REASONS;
      this.#reasons.set(known, (this.#reasons.get(known) ?? 0) + 1);
    }
  }
}

function agentOf(instance: InstanceRef | null): AgentRef | null {
  return instance === null ? null : (instance.slice(0, instance.lastIndexOf('/')) as AgentRef);
}
