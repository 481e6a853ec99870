import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Reach } from '@agent-reach/sdk';
import type { HealthFilter, InstanceHealth, InstanceRef } from '@agent-reach/sdk/protocol';

/** Everything that one subscriber of health changes hears, over reconnects. */
export class HealthLog {
  /** What it was told of instances, snapshots included, in order. */
  readonly heard: InstanceHealth[] = [];
  /** How often it was told that it has to begin anew. */
  resyncs = 0;
  /** What it believes now. */
  readonly now = new Map<InstanceRef, InstanceHealth>();

  private constructor(private readonly reach: Reach) {}

  static async open(url: string, token: string, filter: HealthFilter): Promise<HealthLog> {
    const reach = connect({ url, token, reconnectCapMs: 500, log: () => {} });
    const log = new HealthLog(reach);
    const stream = reach.healthChanges({ filter });
    const first = await stream.next();
    if (first.value?.kind !== 'Snapshot') throw new Error('a stream begins with a snapshot');
    log.#take(first.value.instances);
    void log.#read(stream);
    return log;
  }

  /** The states that an instance went through from one point of `heard` on. */
  statesOf(instance: InstanceRef, from = 0): string[] {
    const states = this.heard.slice(from).filter((health) => health.instance === instance);
    return states
      .map(({ lifecycle, health }) => `${lifecycle} ${health}`)
      .filter((each, at, all) => each !== all[at - 1]);
  }

  /** Waits until what it believes satisfies; fails with what there is after so many ms. */
  async until(
    what: string,
    holds: (now: ReadonlyMap<InstanceRef, InstanceHealth>) => boolean,
    ms: number,
  ): Promise<void> {
    for (const end = performance.now() + ms; !holds(this.now); await sleep(50)) {
      if (performance.now() > end) throw new Error(`not ${what} within ${ms} ms: ${JSON.stringify(this.tally())}`);
    }
  }

  /** How many are in each state. */
  tally(): Record<string, number> {
    const tally: Record<string, number> = {};
    for (const { lifecycle, health } of this.now.values()) {
      const state = `${lifecycle} ${health}`;
      tally[state] = (tally[state] ?? 0) + 1;
    }
    return tally;
  }

  close(): Promise<void> {
    return this.reach.close();
  }

  async #read(stream: ReturnType<Reach['healthChanges']>): Promise<void> {
    for await (const event of stream) {
      if (event.kind === 'Snapshot') {
        this.now.clear();
        this.#take(event.instances);
      } else if (event.kind === 'Change') this.#take([event.instance]);
      else if (event.kind === 'Resync') this.resyncs++;
    }
  }

  #take(instances: readonly InstanceHealth[]): void {
    for (const health of instances) {
      this.heard.push(health);
      this.now.set(health.instance, health);
    }
  }
}
