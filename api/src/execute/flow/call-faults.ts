import { type Candidate, type Decision, STAGES } from '@agent-reach/sdk/decide';
import type { WireError } from '@agent-reach/sdk/protocol';
import type { Instance } from '../../perceive/instance.js';
import type { CallRun } from '../calls/call-run.js';
import { invalidParams, loopDetected, noTask } from '../calls/failures.js';
import { reenters, tooDeep } from '../calls/loops.js';
import { isResumedTask } from './flow-deps.js';

const ZONE = STAGES.indexOf('ZONE');
const CAPACITY = STAGES.indexOf('CAPACITY');

/** What keeps a call from going to whom it was decided for, whatever room there is: schema, mode, loop. */
export function faultAt(
  run: CallRun,
  decision: Decision<Instance>,
  { capability, instance }: Candidate<Instance>,
): WireError | undefined {
  const faults = capability.inputFaults(run.request.params);
  if (faults !== undefined) return invalidParams(capability.name, faults);
  if (capability.mode !== 'TASK' && !isResumedTask(run)) {
    const given = (['callback', 'taskTimeoutMs'] as const).filter((field) => run.request[field] !== undefined);
    if (given.length > 0) return noTask(capability.name, given);
  }
  const loops = tooDeep(run.chain) || (reenters(run.chain, instance) && !mayComeElsewhere(run, decision));
  return loops ? loopDetected(run.chain, instance.agent) : undefined;
}

/** The agent further up is only who happens to be there: another may take the call, once it has room. */
function mayComeElsewhere({ target }: CallRun, { outcome, kept, policy }: Decision<Instance>): boolean {
  if (target.agent !== undefined) return false;
  if (outcome !== 'OK') return true;
  return policy.content.queue !== null && (kept[CAPACITY] ?? 0) < (kept[ZONE] ?? 0);
}
