/** Room for so many in each bucket; one that gets more moves out to a list of its own. */
const ROOM = 48;
/** Points for each bucket on average when they are laid out; beyond the second number they are laid out anew. */
const LAID_OUT = 24;
const CROWDED = 36;
const MIN_BUCKETS = 8;
const RING_SIZE = 2 ** 32;
/** What a bucket counts that has moved out. */
const MOVED_OUT = 255;

/** A point is one number: its position on the ring, and below it the slot of its owner. Together they stay below 2^53. */
const SLOTS = 2 ** 21;

function positionOf(point: number): number {
  return Math.floor(point / SLOTS);
}

function slotOf(point: number): number {
  return point - positionOf(point) * SLOTS;
}

/**
 * The points of a ring in order of position. The ring is cut into buckets of equal length, of a few dozen points each;
 * a point joins at the end of its bucket, and a bucket is sorted when it is next looked at. So putting, taking and
 * finding a point cost the same however many there are. All buckets stand in one array: a list for each took ten times
 * as long to fill.
 *
 * Names that were picked to crowd one bucket make that one slow, and nothing else.
 */
export class PointBuckets {
  /** Orders the slots of points at the same position. */
  readonly #isSlotAfter: (slot: number, other: number) => boolean;
  #points = new Float64Array(ROOM * MIN_BUCKETS);
  #counts = new Uint8Array(MIN_BUCKETS);
  #unsorted = new Uint8Array(MIN_BUCKETS);
  readonly #movedOut = new Map<number, number[]>();
  #size = 0;

  constructor(isSlotAfter: (slot: number, other: number) => boolean) {
    this.#isSlotAfter = isSlotAfter;
  }

  get size(): number {
    return this.#size;
  }

  /** Goes round once from a place on and tells whose point comes, one after the other, until it hears false. */
  from(place: number, visit: (slot: number) => boolean): void {
    const buckets = this.#counts.length;
    const from = place * SLOTS;
    let bucket = this.#bucketOf(place);
    // The first bucket comes twice: what lies behind the place at the start, what lies before it at the end.
    for (let step = 0; step <= buckets; step++) {
      this.#sort(bucket);
      const own = this.#movedOut.get(bucket);
      const points = own ?? this.#points;
      const start = own === undefined ? bucket * ROOM : 0;
      const end = start + this.#count(bucket);
      for (let index = start; index < end; index++) {
        const point = points[index] ?? 0;
        if (step === 0 && point < from) continue;
        if (step === buckets && point >= from) return;
        if (!visit(slotOf(point))) return;
      }
      bucket = bucket + 1 === buckets ? 0 : bucket + 1;
    }
  }

  /** Makes ready for so many points in all. */
  expect(size: number): void {
    const buckets = Math.max(MIN_BUCKETS, Math.ceil(size / LAID_OUT));
    if (buckets === this.#counts.length) return;
    const all: number[] = [];
    for (let bucket = 0; bucket < this.#counts.length; bucket++) {
      const start = bucket * ROOM;
      const points = this.#movedOut.get(bucket) ?? this.#points.subarray(start, start + this.#count(bucket));
      for (const point of points) all.push(point);
    }
    this.#points = new Float64Array(ROOM * buckets);
    this.#counts = new Uint8Array(buckets);
    this.#unsorted = new Uint8Array(buckets);
    this.#movedOut.clear();
    this.#size = 0;
    for (const point of all) this.#put(point);
  }

  put(position: number, slot: number): void {
    if (this.#size >= CROWDED * this.#counts.length) this.expect(this.#size);
    this.#put(position * SLOTS + slot);
  }

  #put(point: number): void {
    const bucket = this.#bucketOf(positionOf(point));
    const count = this.#counts[bucket] ?? 0;
    if (count < ROOM) {
      this.#points[bucket * ROOM + count] = point;
      this.#counts[bucket] = count + 1;
    } else {
      this.#own(bucket).push(point);
    }
    this.#unsorted[bucket] = 1;
    this.#size++;
  }

  take(position: number, slot: number): void {
    const point = position * SLOTS + slot;
    const bucket = this.#bucketOf(position);
    const own = this.#movedOut.get(bucket);
    const points = own ?? this.#points;
    const start = own === undefined ? bucket * ROOM : 0;
    const end = start + this.#count(bucket);
    const place = points.indexOf(point, start);
    if (place < 0 || place >= end) return;
    // Those behind it close up, so that the order stays.
    points.copyWithin(place, place + 1, end);
    if (own === undefined) this.#counts[bucket] = end - start - 1;
    else own.pop();
    this.#size--;
  }

  #bucketOf(position: number): number {
    return Math.floor((position / RING_SIZE) * this.#counts.length);
  }

  /** How many points a bucket has. */
  #count(bucket: number): number {
    const count = this.#counts[bucket] ?? 0;
    return count === MOVED_OUT ? this.#own(bucket).length : count;
  }

  #sort(bucket: number): void {
    if (this.#unsorted[bucket] !== 1) return;
    this.#unsorted[bucket] = 0;
    const own = this.#movedOut.get(bucket);
    if (own !== undefined) own.sort((a, b) => (this.#isAfter(a, b) ? 1 : -1));
    else this.#insertionSort(bucket * ROOM, bucket * ROOM + this.#count(bucket));
  }

  /** Few, and mostly in order already but for the last: simple is quickest. */
  #insertionSort(start: number, end: number): void {
    const points = this.#points;
    for (let next = start + 1; next < end; next++) {
      const point = points[next] ?? 0;
      let place = next;
      for (; place > start && this.#isAfter(points[place - 1] ?? 0, point); place--) {
        points[place] = points[place - 1] ?? 0;
      }
      points[place] = point;
    }
  }

  #isAfter(point: number, other: number): boolean {
    const position = positionOf(point);
    const otherPosition = positionOf(other);
    return position === otherPosition ? this.#isSlotAfter(slotOf(point), slotOf(other)) : position > otherPosition;
  }

  /** The list of a bucket that has moved out, or moves out now. */
  #own(bucket: number): number[] {
    let own = this.#movedOut.get(bucket);
    if (own === undefined) {
      own = Array.from(this.#points.subarray(bucket * ROOM, (bucket + 1) * ROOM));
      this.#movedOut.set(bucket, own);
      this.#counts[bucket] = MOVED_OUT;
    }
    return own;
  }
}
