import { BUCKETS, CALLS, COLUMNS, FAILURES, Figures, FROM_MEMORY, TIMED, TOTAL_MS } from './figures.js';
import { History, type HistoryWindow } from './history.js';
import { latencyBucket } from './latency.js';

/** ASKED: an instance was sent the call; MEMORY: an earlier answer was given; NEITHER: it failed before that. */
export type AnsweredBy = 'ASKED' | 'MEMORY' | 'NEITHER';

/** The calls of one caller to one agent's one capability, over the last hour. */
export class Lane {
  readonly #history = new History(COLUMNS);
  /** By error code: most lanes know few of them. */
  readonly #failures = new Map<string, History>();
  /** Monotonic ms. */
  lastAt = 0;

  /** `outcome`: `OK` or an error code. */
  count(outcome: string, durationMs: number, answeredBy: AnsweredBy, monotonic: number): void {
    const history = this.#history;
    this.lastAt = monotonic;
    history.turnTo(monotonic);
    history.add(CALLS);
    if (answeredBy === 'MEMORY') history.add(FROM_MEMORY);
    else if (answeredBy === 'ASKED') {
      history.add(TIMED);
      history.add(TOTAL_MS, durationMs);
      history.add(BUCKETS + latencyBucket(durationMs));
    }
    if (outcome === 'OK') return;
    history.add(FAILURES);
    let failures = this.#failures.get(outcome);
    if (failures === undefined) {
      failures = new History(1);
      this.#failures.set(outcome, failures);
    }
    failures.turnTo(monotonic);
    failures.add(0);
  }

  figures(window: HistoryWindow): Figures {
    const figures = new Figures();
    this.#history.sumInto(window, figures.sums);
    figures.lastAt = this.lastAt;
    for (const [code, failures] of this.#failures) {
      const sum = new Float64Array(1);
      failures.sumInto(window, sum);
      figures.failed(code, sum[0] ?? 0);
    }
    return figures;
  }
}
