// The thread that replays recorded calls, so that calls don't wait meanwhile. It ends when its parent has the answer.
import { parentPort, workerData } from 'node:worker_threads';
import { createPolicySet, type RecordedDecision, replayDecision } from '@agent-reach/sdk/decide';
import type { ReplayAnswer, ReplayCalls, ReplayWorkerData } from './replay.messages.js';
import { ReplayTally } from './replay-tally.js';

const { draft, policies, budgetMs } = workerData as ReplayWorkerData;
const set = createPolicySet(policies);
const tally = new ReplayTally(draft);
const until = performance.now() + budgetMs;

parentPort?.on('message', ({ walls, texts, last }: ReplayCalls) => {
  for (const [index, text] of texts.entries()) {
    if (performance.now() >= until) break;
    replay(walls[index] ?? 0, text);
  }
  if (last) parentPort?.postMessage(tally.summary satisfies ReplayAnswer);
});

function replay(wall: number, text: string): void {
  try {
    const recorded = JSON.parse(text) as RecordedDecision;
    tally.add(wall, recorded, replayDecision(recorded, set));
  } catch (error) {
    // One call that can't be replayed must not take the others with it; it is counted and told.
    tally.addFailure(wall, `it could not be replayed: ${error instanceof Error ? error.message : String(error)}`);
  }
}
