import { type AuditRecorder, type InstanceRef, ReachError } from '@agent-reach/sdk/protocol';
import type { Clock } from './clock.js';
import type { Instance } from './instance.js';
import { transitionRecord } from './transition-record.js';
import type { Transitions } from './transitions.js';

/** How long it is remembered which incarnations were replaced, ms. */
const REMEMBERED_MS = 600_000;
/** How many of one instance. */
const REMEMBERED = 16;
/** Without another attempt within this time after the one that was due, the rival counts as gone, ms. */
const QUIET_MS = 60_000;
/** The waits between a rival's attempts double from the first to the last of these, ms. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
/** How often what is over is forgotten, ms. */
const FORGET_MS = 1_000;

/** What is known of the processes that used one instance's name. */
interface Place {
  /** Incarnations that another one replaced, with when they were last seen; oldest first. */
  readonly replaced: Map<string, number>;
  contest: Contest | undefined;
}

/** Two live processes want the same place. */
interface Contest {
  readonly since: Date;
  refusals: number;
  overAt: number;
}

export interface RivalsDeps {
  readonly clock: Clock;
  readonly audit: AuditRecorder;
  readonly transitions: Transitions;
}

/**
 * Finds live processes that share an instance's name. A process that crashes again and again, or is replaced by a newer one,
 * comes each time as an incarnation that nobody has seen. One that was replaced and registers again proves that it lived on
 * beside its successor.
 *
 * From then on whoever holds the place keeps it while its connection lives, so that calls go to one of them and are not cut
 * off; the others are refused, with waits that grow. Once the place is free it is taken by whoever comes first.
 */
export class Rivals {
  readonly #places = new Map<InstanceRef, Place>();
  #forgetAt = 0;
  /** Registrations that were refused. */
  refused = 0;

  constructor(private readonly deps: RivalsDeps) {}

  /** Since when an instance's name is contested. */
  contestedSince(ref: InstanceRef): Date | undefined {
    return this.#places.get(ref)?.contest?.since;
  }

  /** An incarnation wants the place of another one. Throws CONFLICT, retryable, when it has to wait. */
  challenge(incumbent: Instance, incarnation: string): void {
    const place = this.#places.get(incumbent.ref);
    if (place === undefined) return;
    const now = this.deps.clock.monotonic();
    if (place.replaced.has(incarnation)) {
      remember(place, incarnation, now);
      place.contest ??= this.#begin(incumbent, incarnation);
    }
    const { contest } = place;
    if (contest === undefined) return;
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** contest.refusals);
    contest.overAt = now + waitMs + QUIET_MS;
    if (incumbent.link?.isOpen !== true) return;
    contest.refusals++;
    this.refused++;
    this.#show(incumbent, `another live process (incarnation ${incarnation}) registers under its name and is refused`);
    throw new ReachError(
      'CONFLICT',
      `Another live process is registered as ${incumbent.ref}; give each process an instance name of its own.`,
      { retryable: true, retryAfterMs: waitMs },
    );
  }

  /** An incarnation was replaced by another one. */
  replaced({ ref, record }: Instance): void {
    let place = this.#places.get(ref);
    if (place === undefined) {
      place = { replaced: new Map(), contest: undefined };
      this.#places.set(ref, place);
    }
    remember(place, record.incarnation, this.deps.clock.monotonic());
  }

  /** Forgets what is over. `instance` finds who holds a place now. */
  sweep(instance: (ref: InstanceRef) => Instance | undefined): void {
    const now = this.deps.clock.monotonic();
    if (now < this.#forgetAt) return;
    this.#forgetAt = now + FORGET_MS;
    for (const [ref, place] of this.#places) {
      for (const [incarnation, seenAt] of place.replaced) {
        if (now - seenAt >= REMEMBERED_MS) place.replaced.delete(incarnation);
      }
      if (place.contest !== undefined && now >= place.contest.overAt) {
        place.contest = undefined;
        const holder = instance(ref);
        if (holder !== undefined) this.#end(holder);
      }
      if (place.replaced.size === 0 && place.contest === undefined) this.#places.delete(ref);
    }
  }

  #begin(incumbent: Instance, rival: string): Contest {
    const { clock, audit } = this.deps;
    const at = clock.wall();
    const { lifecycle, health } = incumbent.live;
    const record = transitionRecord(incumbent, {
      at,
      instance: incumbent.ref,
      incarnation: incumbent.record.incarnation,
      from: lifecycle,
      to: lifecycle,
      lifecycle,
      health,
      reason: 'a process that another one had replaced registers again: both live',
      actor: 'system',
    });
    audit.record({ ...record, action: 'instance.CONTESTED', details: { ...record.details, rival } });
    incumbent.contestedSince = new Date(at);
    return { since: incumbent.contestedSince, refusals: 0, overAt: 0 };
  }

  #end(holder: Instance): void {
    holder.contestedSince = undefined;
    this.#show(holder, 'no other process registers under its name any more');
  }

  #show(instance: Instance, reason: string): void {
    if (instance.live.reason !== reason) this.deps.transitions.restate(instance, reason);
  }
}

function remember({ replaced }: Place, incarnation: string, now: number): void {
  replaced.delete(incarnation);
  replaced.set(incarnation, now);
  for (const oldest of replaced.keys()) {
    if (replaced.size <= REMEMBERED) break;
    replaced.delete(oldest);
  }
}
