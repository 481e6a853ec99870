import { setTimeout as sleep } from 'node:timers/promises';
import { type CallRequest, type Reach, ReachError } from '@agent-reach/sdk';

/** Waits until so many calls have ended, however slow the machine is; fails after 60 s. */
export async function untilEnded(tally: Tally, total: number): Promise<void> {
  const end = performance.now() + 60_000;
  while (tally.total < total) {
    if (performance.now() > end) throw new Error(`${tally.total} of ${total} calls ended in 60 s`);
    await sleep(20);
  }
}

/** What became of calls: how many of each outcome, and the requestIds that were answered with a result. */
export class Tally {
  readonly outcomes = new Map<string, number>();
  readonly answered: string[] = [];
  /** Who answered, by instance as the agent names itself. */
  readonly byInstance = new Map<string, number>();

  get total(): number {
    return [...this.outcomes.values()].reduce((sum, count) => sum + count, 0);
  }

  count(outcome: string): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
  }
}

/** Keeps so many calls in flight until `stop` is called; resolves when the last has ended. */
export function keepCalling(
  reach: Reach,
  inFlight: number,
  request: (index: number) => CallRequest & { readonly requestId: string },
): { readonly tally: Tally; stop(): Promise<void> } {
  const tally = new Tally();
  let stopped = false;
  let next = 0;
  const lane = async (): Promise<void> => {
    while (!stopped) {
      const call = request(next++);
      try {
        const result = (await reach.call(call)) as { readonly instance?: string };
        tally.count('OK');
        tally.answered.push(call.requestId);
        const { instance = '' } = result;
        tally.byInstance.set(instance, (tally.byInstance.get(instance) ?? 0) + 1);
      } catch (error) {
        if (!(error instanceof ReachError)) throw error;
        tally.count(error.code);
      }
    }
  };
  const lanes = Array.from({ length: inFlight }, lane);
  return {
    tally,
    async stop() {
      stopped = true;
      await Promise.all(lanes);
    },
  };
}
