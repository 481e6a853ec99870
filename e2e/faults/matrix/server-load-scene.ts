import { setTimeout as sleep } from 'node:timers/promises';
import type { Crew } from './crew.js';
import { brokenRules, type Expectation, kindsOf, type Row, TRANSPORTS } from './row.js';
import type { Chosen, Scene } from './scene.js';
import { Stand } from './stand.js';

const KILLS = 4;
const TITLE = `server killed ${KILLS} times at random moments under load`;
/** Calls at once of each row: fewer than an endpoint takes. */
const IN_FLIGHT = 4;
const TIMEOUT_MS = 75_000;

function expected({ kind }: Crew): Expectation {
  if (kind.idempotent) return { answers: ['OK'], repeated: ['OK', 'OK replayed'] };
  return kind.transport === 'WEBSOCKET'
    ? { answers: ['OK'], repeated: ['OK replayed'] }
    : { answers: ['OK', 'OUTCOME_UNKNOWN'], repeated: ['OK replayed', 'OUTCOME_UNKNOWN'] };
}

/** Kills come where no other row aims: between two writes, in the middle of a batch, while the one before is recovered. */
export const serverLoadScene: Scene = {
  async run(chosen: Chosen): Promise<Row[]> {
    const kinds = kindsOf(TRANSPORTS).filter((kind) => chosen(TITLE, kind));
    if (kinds.length === 0) return [];
    const stand = await Stand.open();
    try {
      const crews = await Promise.all(
        kinds.map(async (kind) => {
          const crew = await stand.crew('server-load', kind);
          await crew.join(['a', 'b']);
          return crew;
        }),
      );
      let stopped = false;
      const lanes = crews.flatMap((crew) =>
        Array.from({ length: IN_FLIGHT }, async () => {
          while (!stopped) {
            await crew.call({ ms: 5, timeoutMs: TIMEOUT_MS }).ended;
          }
        }),
      );
      for (let kill = 0; kill < KILLS; kill += 1) {
        await Promise.all(crews.map((crew) => crew.untilReady()));
        await sleep(200 + Math.random() * 300);
        await stand.restart();
      }
      stopped = true;
      await Promise.all([...lanes, ...crews.map((crew) => crew.untilReady())]);
      await Promise.all(crews.map((crew) => crew.repeat()));
      const busy = await stand.atRest();
      return crews.map((crew) => {
        const observed = crew.observed(TITLE);
        return { ...observed, broken: [...brokenRules(observed, expected(crew)), ...busy] };
      });
    } finally {
      await stand.close();
    }
  },
};
