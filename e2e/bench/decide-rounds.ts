import { decide, type RouteInstance, type RouteRequest, type RouteTable } from '@agent-reach/sdk/decide';

/** Calls in flight while decisions are measured: the one that began so many decisions ago ends. */
const IN_FLIGHT = 32;
/** Decisions between two looks at the clock. */
const BATCH = 256;

/** Decides for so long, each choice carried out as a server does; returns decisions per second. */
export function decisionsPerSecond(table: RouteTable, requests: readonly RouteRequest[], forMs: number): number {
  const running: (RouteInstance | undefined)[] = new Array(IN_FLIGHT).fill(undefined);
  const now = { monotonic: 1_000, wall: 1_767_225_600_000 };
  const startedAt = performance.now();
  let decisions = 0;
  let elapsed = 0;
  while (elapsed < forMs) {
    for (let count = 0; count < BATCH; count++) {
      const request = requests[decisions % requests.length] as RouteRequest;
      const decision = decide(table, request, now, Math.random);
      if (decision.outcome !== 'OK') throw new Error(`Nobody was chosen: ${decision.outcome}.`);
      table.applied(decision);
      const { instance } = decision.choice;
      instance.live.inFlight++;
      const ended = running[decisions % IN_FLIGHT];
      if (ended !== undefined) ended.live.inFlight--;
      running[decisions % IN_FLIGHT] = instance;
      decisions++;
    }
    elapsed = performance.now() - startedAt;
  }
  for (const instance of running) if (instance !== undefined) instance.live.inFlight--;
  return (decisions * 1000) / elapsed;
}

/** The floor: takes the next of an array, round and round; picks per second. */
export function picksPerSecond(instances: readonly RouteInstance[], forMs: number): number {
  const startedAt = performance.now();
  let picks = 0;
  let elapsed = 0;
  let load = 0;
  while (elapsed < forMs) {
    for (let count = 0; count < BATCH * 64; count++) {
      const instance = instances[picks % instances.length] as RouteInstance;
      // Read something of it, so that the pick isn't optimised away.
      load += instance.live.inFlight;
      picks++;
    }
    elapsed = performance.now() - startedAt;
  }
  if (Number.isNaN(load)) throw new Error('The floor measured nothing.');
  return (picks * 1000) / elapsed;
}
