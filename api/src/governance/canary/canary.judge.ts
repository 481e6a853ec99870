import { type AgentRef, ReachError } from '@agent-reach/sdk/protocol';
import type { Clock } from '../../perceive/clock.js';
import type { AgentRecord, AgentVersionRecord, CanaryEnd } from '../../perceive/model.js';
import type { RegistryView, RouteTableFeed } from '../../perceive/ports.js';
import { isStorageAway } from '../storage-errors.js';
import type { CanaryBook } from './canary.book.js';
import type { CanarySettings } from './canary.settings.js';
import type { CanaryStore } from './canary.store.js';
import { type Judgement, judge, type TrialInstances } from './judgement.js';
import { keyOf, type TrialFacts, type Trials } from './trials.js';

/** How often versions on trial are looked at, ms. */
export const JUDGE_MS = 1_000;

/** A version's time as a canary, for people. */
export interface CanaryView {
  readonly state: 'ON_TRIAL' | CanaryEnd['kind'];
  readonly since: Date | null;
  readonly endedAt: Date | null;
  /** When it is promoted if all goes well; null when it isn't on trial, or waits for something else than time. */
  readonly promoteAt: Date | null;
  readonly calls: number;
  readonly failures: number;
  readonly reason: string;
}

export interface CanaryJudgeDeps {
  readonly clock: Clock;
  readonly registry: Pick<RegistryView, 'agents' | 'instances'>;
  readonly feed: Pick<RouteTableFeed, 'putAgent'>;
  readonly book: CanaryBook;
  readonly trials: Trials;
  readonly store: Pick<CanaryStore, 'end'>;
  readonly log: Readonly<Record<'info' | 'warn' | 'error', (details: object, message: string) => void>>;
}

/** Watches the versions on trial, and promotes them or returns them to STAGING. */
export class CanaryJudge {
  /** Verdicts being stored. */
  readonly #storing = new Set<string>();

  constructor(private readonly deps: CanaryJudgeDeps) {}

  /**
   * Looks at every version on trial; to be called every JUDGE_MS. Resolves when the verdicts of this look are stored.
   * One that can't be stored is judged anew at the next look.
   */
  async look(): Promise<void> {
    const { registry, book, trials } = this.deps;
    const onTrial = new Set<string>();
    const namespaces = new Set<string>();
    const verdicts: Promise<void>[] = [];
    for (const agent of registry.agents()) {
      for (const version of agent.versions.values()) {
        if (!isOnTrial(version, book.of(agent.namespace))) continue;
        onTrial.add(keyOf(agent.ref, version.version));
        namespaces.add(agent.namespace);
        verdicts.push(this.#lookAt(agent, version));
      }
    }
    trials.keepOnly(onTrial);
    book.setTrying(namespaces);
    await Promise.all(verdicts);
  }

  /** Undefined for a version that never was on trial. */
  view(agent: Pick<AgentRecord, 'ref' | 'namespace'>, version: AgentVersionRecord): CanaryView | undefined {
    const { canarySince: since, canaryEnd: end } = version;
    const settings = this.deps.book.of(agent.namespace);
    if (isOnTrial(version, settings)) {
      const facts = this.deps.trials.facts(agent.ref, version.version, since);
      const judgement = judge(settings, facts, this.#instancesOf(agent.ref, version.version));
      const { calls, failures } = facts;
      const promoteAt = this.#promoteAt(judgement);
      return { state: 'ON_TRIAL', since, endedAt: null, promoteAt, calls, failures, reason: judgement.reason };
    }
    if (end === null) return undefined;
    const { kind, at, calls, failures, reason } = end;
    return { state: kind, since, endedAt: at, promoteAt: null, calls, failures, reason };
  }

  async #lookAt(agent: AgentRecord, { uid, version, canarySince: since }: AgentVersionRecord): Promise<void> {
    const { clock, book, trials } = this.deps;
    const instances = this.#instancesOf(agent.ref, version);
    const facts = trials.look(agent.ref, version, since, instances.ready > 0, clock.monotonic());
    const judgement = judge(book.of(agent.namespace), facts, instances);
    if (judgement.verdict === 'GOES_ON') return;
    await this.#end({ agent: agent.ref, version, uid, since }, { ...judgement, kind: judgement.verdict }, facts);
  }

  async #end(
    trial: Parameters<CanaryStore['end']>[0],
    { kind, reason }: { readonly kind: 'PROMOTED' | 'RETURNED'; readonly reason: string },
    { calls, failures }: TrialFacts,
  ): Promise<void> {
    const { clock, feed, store, log } = this.deps;
    const { agent, version } = trial;
    const key = keyOf(agent, version);
    if (this.#storing.has(key)) return;
    this.#storing.add(key);
    try {
      const record = await store.end(trial, { kind, reason, at: new Date(clock.wall()), calls, failures });
      feed.putAgent(record);
      if (kind === 'PROMOTED') log.info({ agent, version, reason }, 'a canary was promoted to PRODUCTION');
      else log.warn({ agent, version, reason }, 'a canary was returned to STAGING');
    } catch (error) {
      if (!isDecided(error)) this.#failed(error, agent, version);
    } finally {
      this.#storing.delete(key);
    }
  }

  #failed(error: unknown, agent: AgentRef, version: string): void {
    const { log } = this.deps;
    if (isStorageAway(error)) log.warn({ agent, version }, 'the verdict on a canary waits for the database');
    else log.error({ err: error, agent, version }, 'the verdict on a canary could not be stored');
  }

  #promoteAt(judgement: Judgement): Date | null {
    if (judgement.verdict !== 'GOES_ON' || judgement.promoteInMs === undefined) return null;
    return new Date(this.deps.clock.wall() + judgement.promoteInMs);
  }

  #instancesOf(agent: AgentRef, version: string): TrialInstances {
    const ready = this.deps.registry
      .instances(agent)
      .filter((each) => each.version === version && each.lifecycle === 'READY' && each.health !== 'OFFLINE');
    const broken = ready.filter(({ breaker }) => breaker !== 'CLOSED');
    return { ready: ready.length, broken: broken.length, breakerReason: broken[0]?.breakerReason ?? '' };
  }
}

/**
 * While a namespace tries versions out, every version in CANARY is on trial; one whose trial began then ends it even when
 * the namespace has stopped.
 */
function isOnTrial({ domain, canarySince }: AgentVersionRecord, { enabled }: CanarySettings): boolean {
  return domain === 'CANARY' && (enabled || canarySince !== null);
}

/** Whether somebody else decided first: what became of it comes by their change. */
function isDecided(error: unknown): boolean {
  return error instanceof ReachError && (error.code === 'CONFLICT' || error.code === 'NOT_FOUND');
}
