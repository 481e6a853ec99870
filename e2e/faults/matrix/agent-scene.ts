import * as agents from './agent-faults.js';
import * as bursts from './burst-faults.js';
import { callerCut, callerGone, equalCalls } from './caller-faults.js';
import type { Fault } from './fault.js';
import { brokenRules, kindsOf, type Observed, type Row, type RowKind } from './row.js';
import type { Chosen, Scene } from './scene.js';
import { inTurns } from './scene.js';
import { Stand } from './stand.js';

/** Rows at once: most of the time they wait. */
const AT_ONCE = 6;

function faultsOn(stand: () => Stand): readonly Fault[] {
  return [
    agents.killedBeforeAck,
    agents.killedAtWork,
    agents.killedAfterWork,
    agents.stopped,
    agents.requestsLost,
    agents.answersLost,
    agents.cutAtWork,
    agents.answersTwice,
    equalCalls(stand),
    callerCut(stand),
    callerGone(stand),
    bursts.oneRefuses,
    bursts.oneDies,
  ];
}

/** All faults at agents, cables and callers, on one server. */
export const agentScene: Scene = {
  async run(chosen: Chosen): Promise<Row[]> {
    let stand: Stand | undefined;
    const faults = faultsOn(() => {
      if (stand === undefined) throw new Error('the stand is not open');
      return stand;
    });
    const jobs = faults.flatMap((fault) =>
      kindsOf(fault.transports)
        .filter((kind) => chosen(fault.title, kind))
        .map((kind) => ({ fault, kind })),
    );
    if (jobs.length === 0) return [];
    stand = await Stand.open();
    try {
      const on = stand;
      // The slowest first, so that nothing is left waiting for it at the end.
      const order = [...jobs].sort((one, other) => weight(other.fault) - weight(one.fault));
      const rows = new Map<(typeof jobs)[number], Observed & { failed: string[] }>();
      await inTurns(order, AT_ONCE, async (job) => void rows.set(job, await observe(on, job.fault, job.kind)));
      const busy = await stand.atRest();
      return jobs.flatMap((job) => {
        const row = rows.get(job);
        if (row === undefined) return [];
        const { failed, ...observed } = row;
        return [{ ...observed, broken: [...failed, ...brokenRules(observed, job.fault.expects(job.kind)), ...busy] }];
      });
    } finally {
      await stand.close();
    }
  },
};

const weight = (fault: Fault): number => (fault === agents.stopped ? 2 : fault.name.startsWith('one-') ? 0 : 1);

async function observe(stand: Stand, fault: Fault, kind: RowKind): Promise<Observed & { failed: string[] }> {
  const crew = await stand.crew(fault.name, kind);
  const failed: string[] = [];
  try {
    await fault.run(crew);
  } catch (error) {
    failed.push(error instanceof Error ? error.message : String(error));
  }
  const observed = crew.observed(fault.title);
  await crew.leave();
  return { ...observed, failed };
}
