import type { AttemptOutcomes } from '../../execute/ports.js';
import type { Instance } from '../../perceive/instance.js';

/** What was seen of one version on trial since this server began to watch it. */
export interface TrialFacts {
  /** Attempts of calls that ended well or badly enough to be charged to a breaker. */
  readonly calls: number;
  readonly failures: number;
  /** Time in ms in which at least one of its instances could take calls. */
  readonly watchedMs: number;
}

interface Trial {
  /** When the trial began, as the version's record says, ms since 1970; undefined until somebody looked at it. */
  since: number | null | undefined;
  calls: number;
  failures: number;
  watchedMs: number;
  /** Monotonic ms from which attempts count, and of the last look. */
  begunAt: number;
  lookedAt: number | undefined;
}

/** Time between two looks that counts at most, ms: what a busy server did not watch is no proof. */
const MAX_STEP_MS = 5_000;

const NOTHING: TrialFacts = { calls: 0, failures: 0, watchedMs: 0 };

/**
 * Counts the calls and failures of versions on trial, and the time that they were there to be tried. In memory: when
 * the server restarts, both begin anew, so that a version is never promoted by time that nobody watched.
 */
export class Trials implements AttemptOutcomes {
  readonly #trials = new Map<string, Trial>();

  ended({ domain, agent, version }: Instance, failed: boolean, startedAt: number): void {
    if (domain !== 'CANARY') return;
    const trial = this.#trial(agent, version);
    if (startedAt < trial.begunAt) return;
    trial.calls++;
    if (failed) trial.failures++;
  }

  /**
   * Looks at a version on trial. Time counts when somebody could take calls at this look and at the one before; a trial
   * that began anew counts from nothing.
   *
   * @param began when it began; null for one that was in CANARY before its namespace tried versions out
   */
  look(agent: string, version: string, began: Date | null, isThere: boolean, monotonic: number): TrialFacts {
    const since = timeOf(began);
    let trial = this.#trial(agent, version);
    if (trial.since !== undefined && trial.since !== since) {
      trial = newTrial(monotonic);
      this.#trials.set(keyOf(agent, version), trial);
    }
    trial.since = since;
    if (trial.lookedAt !== undefined && isThere) {
      trial.watchedMs += Math.min(monotonic - trial.lookedAt, MAX_STEP_MS);
    }
    trial.lookedAt = isThere ? monotonic : undefined;
    return trial;
  }

  /** What was seen of the trial that began then. */
  facts(agent: string, version: string, since: Date | null): TrialFacts {
    const trial = this.#trials.get(keyOf(agent, version));
    if (trial === undefined || (trial.since !== undefined && trial.since !== timeOf(since))) return NOTHING;
    return trial;
  }

  /** Forgets all but these, by what `keyOf` makes of agent and version. */
  keepOnly(keys: ReadonlySet<string>): void {
    for (const key of this.#trials.keys()) if (!keys.has(key)) this.#trials.delete(key);
  }

  #trial(agent: string, version: string): Trial {
    const key = keyOf(agent, version);
    let trial = this.#trials.get(key);
    if (trial === undefined) {
      trial = newTrial(Number.NEGATIVE_INFINITY);
      this.#trials.set(key, trial);
    }
    return trial;
  }
}

function newTrial(begunAt: number): Trial {
  return { since: undefined, calls: 0, failures: 0, watchedMs: 0, begunAt, lookedAt: undefined };
}

function timeOf(date: Date | null): number | null {
  return date === null ? null : date.getTime();
}

/** Names a version of an agent; ids hold no space. */
export function keyOf(agent: string, version: string): string {
  return `${agent} ${version}`;
}
