import type { Crew } from './crew.js';
import { type Fault, unnoticed } from './fault.js';
import { TRANSPORTS } from './row.js';

const CALLS = 1_000;

/** Calls at once: fewer than one instance takes, which for an endpoint are five. */
const inFlight = ({ kind }: Crew): number => (kind.transport === 'HTTP' ? 4 : 50);

/** Makes all calls, and does something after each end. */
async function callAll(crew: Crew, onEnded: (ended: number) => Promise<void>): Promise<void> {
  let begun = 0;
  let ended = 0;
  const lane = async (): Promise<void> => {
    while (begun < CALLS) {
      begun += 1;
      await crew.call({ brief: true, ms: 2 }).ended;
      ended += 1;
      await onEnded(ended);
    }
  };
  await Promise.all(Array.from({ length: inFlight(crew) }, lane));
}

export const oneRefuses: Fault = {
  name: 'one-refuses',
  title: '1,000 calls, one of two agents refuses all, one retry',
  transports: TRANSPORTS,
  // What was refused was not executed, so another agent may have it whatever the capability.
  expects: unnoticed,
  async run(crew) {
    await crew.join(['good']);
    await crew.join(['bad'], 'REFUSES');
    await callAll(crew, async () => {});
    await crew.repeat();
  },
};

export const oneDies: Fault = {
  name: 'one-dies',
  title: '1,000 calls, one of two agents is killed, one retry',
  transports: TRANSPORTS,
  expects: ({ idempotent }) =>
    idempotent
      ? { answers: ['OK'], repeated: ['OK replayed'] }
      : { answers: ['OK', 'OUTCOME_UNKNOWN'], repeated: ['OK replayed', 'OUTCOME_UNKNOWN'] },
  async run(crew) {
    const [, bad] = await crew.join(['good', 'bad']);
    await callAll(crew, async (ended) => {
      if (ended === CALLS / 5) await bad?.process.kill();
    });
    await crew.repeat();
  },
};
