import { randomBytes } from 'node:crypto';
import type { Measured } from './messages.js';
import { percentile } from './statistics.js';

/** How long a round waits for the last answers. */
const TAIL_MS = 10_000;

/** One round of load: sends calls, keeps when each was sent, and sums up when the last was answered. */
export class LoadRound {
  private readonly prefix = randomBytes(6).toString('hex');
  private readonly sentAt = new Map<string, number>();
  private readonly latencies: number[] = [];
  private sent = 0;
  private failures = 0;
  private failure: string | undefined;
  private startedAt = 0;
  private endsAt = 0;
  private lastAt = 0;
  /** Keep as many calls in flight as there are: each answer sends the next call. */
  private refill = false;
  private finish: () => void = () => undefined;

  constructor(private readonly send: (id: string, index: number) => void) {}

  /** Keeps `inFlight` calls under way for `durationMs`. */
  async flood(inFlight: number, durationMs: number): Promise<Measured> {
    this.refill = true;
    this.begin(durationMs);
    for (let index = 0; index < inFlight; index += 1) this.next();
    return this.end(durationMs);
  }

  /** Sends `perSecond` calls a second, whether earlier ones are answered or not. */
  async pace(perSecond: number, durationMs: number): Promise<Measured> {
    this.begin(durationMs);
    const timer = setInterval(() => {
      const due = Math.floor(((Math.min(performance.now(), this.endsAt) - this.startedAt) / 1000) * perSecond);
      while (this.sent < due) this.next();
    }, 1);
    const measured = await this.end(durationMs);
    clearInterval(timer);
    return measured;
  }

  answered(id: string, failure: string | undefined): void {
    const sentAt = this.sentAt.get(id);
    if (sentAt === undefined) return;
    this.sentAt.delete(id);
    const now = performance.now();
    this.lastAt = now;
    this.latencies.push(now - sentAt);
    if (failure !== undefined) {
      this.failures += 1;
      this.failure ??= failure;
    }
    if (now < this.endsAt) {
      if (this.refill) this.next();
    } else if (this.sentAt.size === 0) this.finish();
  }

  private begin(durationMs: number): void {
    this.startedAt = performance.now();
    this.endsAt = this.startedAt + durationMs;
  }

  private next(): void {
    const id = `${this.prefix}-${this.sent}`;
    this.sentAt.set(id, performance.now());
    this.send(id, this.sent);
    this.sent += 1;
  }

  private async end(durationMs: number): Promise<Measured> {
    let patience: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.finish = resolve;
      patience = setTimeout(resolve, durationMs + TAIL_MS);
      setTimeout(() => {
        if (this.sentAt.size === 0) resolve();
      }, durationMs + 1);
    });
    clearTimeout(patience);
    const lost = this.sentAt.size;
    const sorted = Float64Array.from(this.latencies).sort();
    return {
      calls: sorted.length,
      failures: this.failures + lost,
      failure: this.failure ?? (lost > 0 ? `${lost} calls were not answered within ${TAIL_MS} ms` : undefined),
      elapsedMs: this.lastAt - this.startedAt,
      p50Ms: percentile(sorted, 0.5),
      p99Ms: percentile(sorted, 0.99),
    };
  }
}
