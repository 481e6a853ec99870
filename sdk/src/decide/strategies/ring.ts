import type { Candidate, CandidateList } from '../candidate.js';
import { ListMirror } from './list-mirror.js';
import { PointBuckets } from './point-buckets.js';
import { eachPoint, pointCount } from './ring-points.js';

const SAMPLES = 16;

/**
 * A hash ring of candidates: each stands at several points, and a key belongs to whoever stands next from the key's
 * own place onwards. So when one goes only its keys move, and they come back with it; a join or leave costs what its
 * own points cost. Source: consistent hashing (Karger et al., 1997).
 */
export class HashRing {
  /** By slot: whose points they are, with which weight, and which walk came by last. */
  readonly #candidates: (Candidate | undefined)[] = [];
  readonly #weights: number[] = [];
  readonly #seenBy: number[] = [];
  readonly #free: number[] = [];
  readonly #slotOf = new Map<Candidate, number>();
  // Where two stand at the same position the name decides, since slots are given in order of registration.
  readonly #points = new PointBuckets((slot, other) => this.#nameOf(slot) > this.#nameOf(other));
  readonly #mirror = new ListMirror({
    added: (candidate) => this.#add(candidate),
    removed: (candidate) => this.#remove(candidate),
  });
  #walks = 0;

  /** How many points there are: what its memory is in proportion to. */
  get size(): number {
    return this.#points.size;
  }

  /** Whether nearly all of a list stand on it: of sixteen all but two, and not many others. */
  isLike({ candidates }: CandidateList): boolean {
    const { size } = this.#slotOf;
    if (Math.abs(candidates.length - size) * 4 > size) return false;
    let known = 0;
    for (let sample = 0; sample < SAMPLES; sample++) {
      const candidate = candidates[Math.floor((sample * candidates.length) / SAMPLES)];
      if (candidate !== undefined && this.#slotOf.has(candidate)) known++;
    }
    return known >= SAMPLES - 2;
  }

  /** Brings the ring up to date with a list of the table; free of cost while its revision stays. */
  follow(list: CandidateList): void {
    if (this.#slotOf.size === 0) this.#points.expect(list.candidates.length * pointCount(100));
    this.#mirror.follow(list);
  }

  /** Goes round once from a place on and tells of each candidate when it first comes, until it hears false. */
  walk(place: number, visit: (candidate: Candidate) => boolean): void {
    const walk = ++this.#walks;
    let left = this.#slotOf.size;
    this.#points.from(place, (slot) => {
      if (this.#seenBy[slot] === walk) return true;
      this.#seenBy[slot] = walk;
      left--;
      const candidate = this.#candidates[slot];
      return (candidate === undefined || visit(candidate)) && left > 0;
    });
  }

  /** The first so many candidates from a place on. */
  from(place: number, count: number): Candidate[] {
    const found: Candidate[] = [];
    this.walk(place, (candidate) => found.push(candidate) < count);
    return found;
  }

  #add(candidate: Candidate): void {
    const { ref, weight } = candidate.instance;
    const slot = this.#free.pop() ?? this.#candidates.length;
    this.#candidates[slot] = candidate;
    this.#weights[slot] = weight;
    this.#seenBy[slot] = 0;
    this.#slotOf.set(candidate, slot);
    eachPoint(ref, weight, (position) => this.#points.put(position, slot));
  }

  #remove(candidate: Candidate): void {
    const slot = this.#slotOf.get(candidate);
    if (slot === undefined) return;
    eachPoint(candidate.instance.ref, this.#weights[slot] ?? 0, (position) => this.#points.take(position, slot));
    this.#slotOf.delete(candidate);
    this.#candidates[slot] = undefined;
    this.#free.push(slot);
  }

  #nameOf(slot: number): string {
    return this.#candidates[slot]?.instance.ref ?? '';
  }
}
