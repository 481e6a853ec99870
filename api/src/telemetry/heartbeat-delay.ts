/** How late the sweep of leases runs: what stands between the loss of an agent and the server's knowing it. */
export class HeartbeatDelay {
  #last: number | undefined;
  /** Lateness of the latest sweep, ms. */
  latest = 0;

  constructor(private readonly intervalMs: number) {}

  swept(monotonic: number): void {
    if (this.#last !== undefined) this.latest = Math.max(0, Math.round(monotonic - this.#last - this.intervalMs));
    this.#last = monotonic;
  }
}
