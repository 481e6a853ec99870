import { setTimeout as sleep } from 'node:timers/promises';
import type { HoldPoint } from '../../support/work-log.js';
import type { Crew } from './crew.js';
import { brokenRules, type Expectation, kindsOf, type Row, TRANSPORTS } from './row.js';
import type { Chosen, Scene } from './scene.js';
import { Stand } from './stand.js';

/** Longer than a new server waits for what an earlier one left behind. */
const TIMEOUT_MS = 75_000;

/** Where a call is when its server is killed. */
interface Moment {
  readonly name: string;
  readonly title: string;
  readonly hold: HoldPoint;
  /** Just before the kill, while the server stands still and reads nothing. */
  beforeKill(crew: Crew, requestId: string): Promise<void>;
}

const MOMENTS: readonly Moment[] = [
  {
    name: 'server-before-ack',
    title: 'server killed before the ack (HTTP: before it began)',
    hold: 'BEFORE_ACK',
    async beforeKill() {},
  },
  {
    name: 'server-at-work',
    title: 'server killed after the ack, the agent at work',
    hold: 'AT_WORK',
    async beforeKill() {},
  },
  {
    name: 'server-after-work',
    title: 'server killed after the work, the answer unread',
    hold: 'AT_WORK',
    async beforeKill(crew, requestId) {
      crew.log.release();
      await crew.log.until(requestId, 'DONE');
      await sleep(100);
    },
  },
];

/**
 * The SDK asks again by itself, and the new server waits for the agent and asks its process what became of the call. An
 * HTTP endpoint can't be asked, so nobody knows what became of a call that it had.
 */
function afterRestart({ kind }: Crew): Expectation {
  if (kind.idempotent) return { answers: ['OK'], repeated: ['OK', 'OK replayed'] };
  return kind.transport === 'WEBSOCKET'
    ? { answers: ['OK'], repeated: ['OK replayed'] }
    : { answers: ['OUTCOME_UNKNOWN'], repeated: ['OUTCOME_UNKNOWN'] };
}

/** One kill of a server that has a call at each moment, of each kind. */
export const serverScene: Scene = {
  async run(chosen: Chosen): Promise<Row[]> {
    const jobs = MOMENTS.flatMap((moment) =>
      kindsOf(TRANSPORTS)
        .filter((kind) => chosen(moment.title, kind))
        .map((kind) => ({ moment, kind })),
    );
    if (jobs.length === 0) return [];
    const stand = await Stand.open();
    try {
      const joined = await Promise.all(
        jobs.map(async ({ moment, kind }) => {
          const crew = await stand.crew(moment.name, kind);
          await crew.join(['a']);
          return { moment, crew };
        }),
      );
      // Only now: what holds before its ack must not be overdue before the kill.
      const held = joined.map(({ moment, crew }) => ({
        moment,
        crew,
        call: crew.call({ hold: moment.hold, timeoutMs: TIMEOUT_MS }),
      }));
      await Promise.all(held.map(({ crew, call }) => crew.holder(call.requestId)));
      stand.server.child.kill('SIGSTOP');
      await Promise.all(held.map(({ moment, crew, call }) => moment.beforeKill(crew, call.requestId)));
      await stand.restart();
      await Promise.all(held.map(({ moment, crew }) => (moment.hold === 'AT_WORK' ? crew.untilReady() : undefined)));
      for (const { crew } of held) crew.log.release();
      await Promise.all(held.map(({ crew, call }) => Promise.all([call.ended, crew.untilReady()])));
      await Promise.all(held.map(({ crew }) => crew.repeat()));
      const busy = await stand.atRest();
      return held.map(({ moment, crew }) => {
        const observed = crew.observed(moment.title);
        return { ...observed, broken: [...brokenRules(observed, afterRestart(crew)), ...busy] };
      });
    } finally {
      await stand.close();
    }
  },
};
