import { setTimeout as sleep } from 'node:timers/promises';
import { databaseProcesses } from '../../support/database-process.js';
import type { Crew } from './crew.js';
import { brokenRules, type Expectation, kindsOf, type Row, TRANSPORTS } from './row.js';
import type { Chosen, Scene } from './scene.js';
import { Stand } from './stand.js';

const AWAY_MS = 30_000;
const HURRIED = { name: 'away-hurried', title: 'Postgres away for 30 s, calls with 2 s', timeoutMs: 2_000 };
const PATIENT = { name: 'away-patient', title: 'Postgres away for 30 s, calls with 60 s', timeoutMs: 60_000 };
/** Calls of each row, fewer than an endpoint takes at once. */
const CALLS = 4;

function expected(crew: Crew, hurried: boolean): Expectation {
  if (crew.kind.idempotent) return { answers: ['OK'], repeated: ['OK', 'OK replayed'] };
  // Refused with nothing sent, so the repetition is the first that is executed.
  return hurried
    ? { answers: ['STORAGE_UNAVAILABLE'], repeated: ['OK'] }
    : { answers: ['OK'], repeated: ['OK replayed'] };
}

/** Stops all processes of the database for 30 s. */
export const databaseScene: Scene = {
  async run(chosen: Chosen): Promise<Row[]> {
    const jobs = [HURRIED, PATIENT].flatMap((plan) =>
      kindsOf(TRANSPORTS)
        .filter((kind) => chosen(plan.title, kind))
        .map((kind) => ({ plan, kind })),
    );
    if (jobs.length === 0) return [];
    const stand = await Stand.open();
    try {
      const joined = await Promise.all(
        jobs.map(async ({ plan, kind }) => {
          const crew = await stand.crew(plan.name, kind);
          await crew.join(['a']);
          return { plan, crew };
        }),
      );
      const processes = databaseProcesses(stand.server.dataDir);
      for (const pid of processes) process.kill(pid, 'SIGSTOP');
      const executedWhileAway = new Map<Crew, number>();
      let calls: { readonly ended: Promise<void> }[];
      try {
        const back = sleep(AWAY_MS);
        calls = joined.flatMap(({ plan, crew }) =>
          Array.from({ length: CALLS }, () => crew.call({ timeoutMs: plan.timeoutMs })),
        );
        await back;
        for (const { crew } of joined) executedWhileAway.set(crew, crew.log.executions().size);
      } finally {
        for (const pid of processes) process.kill(pid, 'SIGCONT');
      }
      await Promise.all(calls.map((call) => call.ended));
      await Promise.all(joined.map(({ crew }) => crew.repeat()));
      const busy = await stand.atRest();
      return joined.map(({ plan, crew }) => {
        const observed = crew.observed(plan.title);
        const sent = executedWhileAway.get(crew) ?? 0;
        const early =
          !crew.kind.idempotent && sent > 0 ? [`${sent} were executed before their claim could be durable`] : [];
        return { ...observed, broken: [...early, ...brokenRules(observed, expected(crew, plan === HURRIED)), ...busy] };
      });
    } finally {
      await stand.close();
    }
  },
};
