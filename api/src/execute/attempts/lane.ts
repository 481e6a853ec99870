import { RecentMean } from '../../perceive/recent-mean.js';
import type { Attempt } from './attempt.js';
import { Breaker } from './breaker.js';
import { InFlightDrift } from './in-flight-drift.js';
import { RecentOutcomes } from './recent-outcomes.js';

/** What belongs to one incarnation on the side of execution; freed with it. */
export class Lane {
  readonly running = new Set<Attempt>();
  readonly breaker = new Breaker();
  readonly latency = new RecentMean();
  readonly outcomes = new RecentOutcomes();
  readonly drift = new InFlightDrift();

  /** Whether an ack of what runs is overdue. */
  get overdue(): boolean {
    for (const { overdue } of this.running) if (overdue) return true;
    return false;
  }
}
