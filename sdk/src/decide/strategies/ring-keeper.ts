import type { CandidateList } from '../candidate.js';
import { HashRing } from './ring.js';

/**
 * A ring is built for a list that has been asked for so often: building it takes about as long as looking so often at
 * all points (measured: 40 times, for any number of candidates). So whoever makes up ever new lists, by tags or version
 * ranges, never costs more than twice what looking costs, and a list that is used once costs no memory.
 */
const WORTH_IT = 40;
/** A list takes over the ring of another that was not asked for so long as it was asked for so often. */
const TAKES_OVER = 4;
/** Points on all rings of one policy version, at about 16 bytes: beyond it those go that were used least recently. */
const MAX_POINTS = 8_000_000;

interface Kept {
  asked: number;
  /** When it was first and last asked for, counted in questions. */
  readonly firstAsked: number;
  lastAsked: number;
  ring: HashRing | undefined;
}

/** The rings of the lists that a policy's calls are chosen from. Each goes when its list goes. */
export class RingKeeper {
  readonly #byList = new WeakMap<CandidateList, Kept>();
  readonly #maxPoints: number;
  #withRing: WeakRef<Kept>[] = [];
  #questions = 0;

  constructor(maxPoints = MAX_POINTS) {
    this.#maxPoints = maxPoints;
  }

  /** Up to date; undefined while it isn't worth it. */
  of(list: CandidateList): HashRing | undefined {
    this.#questions++;
    let kept = this.#byList.get(list);
    if (kept === undefined) {
      kept = { asked: 0, firstAsked: this.#questions, lastAsked: 0, ring: undefined };
      this.#byList.set(list, kept);
    }
    kept.asked++;
    kept.lastAsked = this.#questions;
    if (kept.ring === undefined && kept.asked > TAKES_OVER) kept.ring = this.#orphan(kept, list);
    if (kept.ring === undefined && kept.asked > WORTH_IT) kept.ring = this.#build(kept, list);
    kept.ring?.follow(list);
    return kept.ring;
  }

  /**
   * The ring of a list that this one replaces: a table makes its lists anew when a version or zone comes or goes, and
   * nearly all candidates stay.
   */
  #orphan(heir: Kept, list: CandidateList): HashRing | undefined {
    for (const kept of this.#live()) {
      const { ring } = kept;
      if (ring === undefined || kept.lastAsked > heir.firstAsked || !ring.isLike(list)) continue;
      kept.ring = undefined;
      kept.asked = 0;
      this.#withRing.push(new WeakRef(heir));
      return ring;
    }
    return undefined;
  }

  #build(kept: Kept, list: CandidateList): HashRing {
    const ring = new HashRing();
    ring.follow(list);
    let room = this.#maxPoints - ring.size;
    const staying = this.#live().filter((other) => {
      room -= other.ring?.size ?? 0;
      if (room >= 0) return true;
      other.ring = undefined;
      other.asked = 0;
      return false;
    });
    this.#withRing = [kept, ...staying].map((each) => new WeakRef(each));
    return ring;
  }

  /** Those that have a ring, the one used last first. */
  #live(): Kept[] {
    const live = this.#withRing.flatMap((each) => each.deref() ?? []).filter(({ ring }) => ring !== undefined);
    return live.sort((a, b) => b.lastAsked - a.lastAsked);
  }
}
