import type { Clock } from '../../perceive/clock.js';
import type { Link } from '../../perceive/instance.js';

/** Of one link: so many at once when its agents come back after a restart of the server, and so many a second for ever. */
const AT_ONCE = 200;
const A_SECOND = 20;
/** Of all links together that are not answered yet. */
const MAX_UNDER_WAY = 2_000;

/**
 * How often the store may be asked about dispatches that nobody here knows: late results of short calls too, since nothing
 * tells them from those of tasks. Each link has its own measure, so that the stray results of one agent keep nobody else's
 * from being looked up. What is not asked is sent again.
 */
export class StoreQuestions {
  readonly #underWay = new Set<string>();
  readonly #links = new WeakMap<Link, { left: number; at: number }>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** False: not now. True is to be followed by `end`. */
  begin(dispatchId: string, link: Link): boolean {
    if (this.#underWay.has(dispatchId) || this.#underWay.size >= MAX_UNDER_WAY || !this.#take(link)) return false;
    this.#underWay.add(dispatchId);
    return true;
  }

  end(dispatchId: string): void {
    this.#underWay.delete(dispatchId);
  }

  #take(link: Link): boolean {
    const now = this.clock.monotonic();
    const measure = this.#links.get(link) ?? { left: AT_ONCE, at: now };
    this.#links.set(link, measure);
    measure.left = Math.min(AT_ONCE, measure.left + ((now - measure.at) / 1_000) * A_SECOND);
    measure.at = now;
    if (measure.left < 1) return false;
    measure.left--;
    return true;
  }
}
