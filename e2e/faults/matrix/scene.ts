import type { Row, RowKind } from './row.js';

/** Whether a row is asked for. */
export type Chosen = (fault: string, kind: RowKind) => boolean;

/** Some rows of the matrix that share servers of their own. Scenes run at once. */
export interface Scene {
  /** Runs the chosen rows. A row that could not be run to its end says so in `broken`. */
  run(chosen: Chosen): Promise<readonly Row[]>;
}

/** Does all jobs, so many at a time, in their order. */
export async function inTurns<J>(jobs: readonly J[], atOnce: number, each: (job: J) => Promise<void>): Promise<void> {
  const waiting = [...jobs];
  const lane = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) await each(job);
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}
