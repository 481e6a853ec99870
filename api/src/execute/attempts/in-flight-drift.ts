import type { Instance } from '../../perceive/instance.js';
import type { Attempt } from './attempt.js';

/** Reports closer together than this are not compared: what is under way between both ends must have arrived. */
const APART_MS = 1_000;

/** What an instance says that it has. */
export interface InFlightReport {
  /** Calls that it executes. */
  readonly inFlight: number;
  /** Calls that it has and does not execute yet; undefined: it does not say. */
  readonly queueDepth: number | undefined;
}

interface Difference {
  readonly at: number;
  /** Calls that it executes and that nobody waits for. */
  readonly more: number;
  /** Attempts that it had accepted before the report before this one, and that it has not any more. */
  readonly fewer: number;
}

/**
 * Corrects the count of what runs on one incarnation by what that reports. Frames of a socket keep their order, so that
 * when a report arrives every result sent before it has arrived too. Of what the instance executes then,
 * - more than the attempts that wait for it are executions that go on although their attempt was given up: they take
 *   places, and are counted as long as they are reported;
 * - fewer than the attempts that it accepted some time ago are attempts that it lost: they go on waiting for their result,
 *   but take no place any more.
 *
 * A difference counts only as far as two reports in a row have it.
 */
export class InFlightDrift {
  #last: Difference | undefined;
  /** Executions that nobody waits for, within `inFlight` of the instance. */
  #more = 0;

  /** Takes a report; returns how many places were corrected. */
  observe(instance: Instance, attempts: Iterable<Attempt>, report: InFlightReport, monotonic: number): number {
    const last = this.#last;
    const waitedFor = countedCalls(attempts);
    const more = Math.max(0, report.inFlight - waitedFor.length);
    if (more < this.#more) this.#setMore(instance, more);
    if (last !== undefined && monotonic - last.at < APART_MS) return 0;
    const accepted =
      last === undefined ? [] : waitedFor.filter(({ ackedAt }) => ackedAt !== undefined && ackedAt <= last.at);
    const fewer = Math.max(0, accepted.length - heldBy(report));
    this.#last = { at: monotonic, more, fewer };
    if (last === undefined) return 0;

    const found = Math.max(0, Math.min(more, last.more) - this.#more);
    this.#setMore(instance, this.#more + found);
    const lost = accepted.slice(0, Math.min(fewer, last.fewer));
    for (const attempt of lost) {
      attempt.takesPlace = false;
      instance.live.inFlight--;
    }
    return found + lost.length;
  }

  /** The connection is lost, and with it what is known of the other end. */
  forget(instance: Instance): void {
    this.#setMore(instance, 0);
    this.#last = undefined;
  }

  #setMore(instance: Instance, more: number): void {
    instance.live.inFlight += more - this.#more;
    this.#more = more;
  }
}

/** The calls that were sent and take a place, oldest first; tasks have a pool of their own. */
function countedCalls(attempts: Iterable<Attempt>): Attempt[] {
  return Array.from(attempts).filter((attempt) => attempt.sent && attempt.takesPlace && !attempt.isTask);
}

/** How many calls it may have. One that is busy and does not say whether others wait may have any number. */
function heldBy({ inFlight, queueDepth }: InFlightReport): number {
  if (queueDepth === undefined) return inFlight === 0 ? 0 : Number.POSITIVE_INFINITY;
  return inFlight + queueDepth;
}
