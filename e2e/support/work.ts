import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '@agent-reach/sdk/protocol';
import { HOLD_POINTS, type HoldPoint, type WorkLog } from './work-log.js';

/** Parameters of the work that the agents of faults do: where its first execution waits, and how long it takes. */
export interface WorkParams {
  readonly hold?: HoldPoint;
  readonly ms?: number;
}

const PARAMS = {
  type: 'object',
  properties: { hold: { enum: HOLD_POINTS }, ms: { type: 'integer', minimum: 0 } },
} as const;

const RESULT = { type: 'object', required: ['instance'], properties: { instance: { type: 'string' } } } as const;

/** What agents of faults offer. `brief_…`: a policy allows little time and one retry for it. */
export const WORK_CAPABILITIES = ['run_safe', 'run_once', 'brief_safe', 'brief_once'] as const;

/** The same work as tasks. */
export const TASK_CAPABILITIES = ['task_safe', 'task_once'] as const;

/** How a capability of an agent of faults is declared; idempotent when its name ends in `_safe`. */
export function workDeclaration(name: string) {
  const idempotent = name.endsWith('_safe');
  const description = 'Use it to see what becomes of a call when something breaks; answers with who executed it.';
  return { name, description, inputSchema: PARAMS, outputSchema: RESULT, idempotent };
}

/** Executes one request: writes down that it does, and holds where it is told to. */
export async function work(
  log: WorkLog,
  instance: string,
  requestId: string,
  params: WorkParams,
  signal: AbortSignal,
): Promise<JsonObject> {
  const hold = params.hold !== undefined && log.holdsNow(requestId) ? params.hold : undefined;
  // Before the first await: this runs in the turn in which the dispatch came, and its ack leaves at the end of that.
  if (hold === 'BEFORE_ACK') standStill(log, requestId, instance);
  log.write(requestId, instance, 'EXECUTED');
  signal.addEventListener('abort', () => log.write(requestId, instance, 'CANCELLED'));
  if (params.ms !== undefined) await sleep(params.ms);
  if (hold === 'AT_WORK') {
    // By then the ack is with the operating system, which delivers it whatever becomes of this process.
    await sleep(50);
    log.write(requestId, instance, 'HOLDS');
    while (!log.released && !signal.aborted) await sleep(5);
  }
  log.write(requestId, instance, 'DONE');
  return { instance };
}

/** Holds the whole process, so that nothing leaves it. */
function standStill(log: WorkLog, requestId: string, instance: string): void {
  log.write(requestId, instance, 'HOLDS');
  const cell = new Int32Array(new SharedArrayBuffer(4));
  while (!log.released) Atomics.wait(cell, 0, 0, 5);
}

/** As bad parameters would be a fault of the test, the agents take them unseen. */
export const workParams = (params: JsonObject): WorkParams => params as WorkParams;
