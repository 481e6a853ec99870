import type { Crew } from './crew.js';
import type { Expectation, RowKind, Transport } from './row.js';

/** One thing that breaks at agents, cables or callers while the server goes on. */
export interface Fault {
  /** Short, for ids. */
  readonly name: string;
  /** What happens, as the matrix prints it. */
  readonly title: string;
  readonly transports: readonly Transport[];
  expects(kind: RowKind): Expectation;
  /** Makes calls, breaks something, mends it, and repeats the calls. */
  run(crew: Crew): Promise<void>;
}

/**
 * The agent that had a call is of no more use: another executes it where that is allowed; else nobody can know whether
 * it was executed. `late`: the answer to a repetition when the agent could say it after all.
 */
export const lostExecution =
  (late: readonly string[] = []) =>
  ({ idempotent }: RowKind): Expectation =>
    idempotent
      ? { answers: ['OK'], repeated: ['OK', 'OK replayed'] }
      : { answers: ['OUTCOME_UNKNOWN'], repeated: ['OUTCOME_UNKNOWN', ...late] };

/** Nothing of the fault reaches the caller. */
export const unnoticed = (): Expectation => ({ answers: ['OK'], repeated: ['OK replayed'] });
