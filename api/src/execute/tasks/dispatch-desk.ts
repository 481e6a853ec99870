import type { RouteTable } from '@agent-reach/sdk/decide';
import { type AgentRef, type ProgressFrame, ReachError, type ResultFrame, TASK_ENDS } from '@agent-reach/sdk/protocol';
import type { Instance } from '../../perceive/instance.js';
import type { AttemptRunner } from '../attempts/attempt-runner.js';
import type { TaskRunner } from './task-runner.js';
import type { TaskReads } from './tasks.port.js';

export interface DispatchDeskDeps {
  readonly runner: TaskRunner;
  readonly attempts: Pick<AttemptRunner, 'completed' | 'servedBy'>;
  readonly reads: Pick<TaskReads, 'ofDispatch'>;
  readonly instances: Pick<RouteTable<Instance>, 'instance'>;
  /** Rejects with STORAGE_UNAVAILABLE what takes too long to be stored. */
  readonly inTime: (stored: Promise<void>) => Promise<void>;
}

/**
 * Takes what agents without a connection of their own say of tasks that they accepted. They are known by their token
 * (`owns`), not by a link, so that one whose probes fail for the moment can report too.
 */
export class DispatchDesk {
  constructor(private readonly deps: DispatchDeskDeps) {}

  /** False: no open task of an agent that `owns` has this dispatch. A sequence that is not higher changes nothing. */
  progress(frame: ProgressFrame, owns: (agent: AgentRef) => boolean): boolean {
    const { runner } = this.deps;
    const agent = runner.agentOf(frame.dispatchId);
    if (agent === undefined || !owns(agent)) return false;
    runner.reportProgress(frame);
    return true;
  }

  /**
   * True once an end of the task is stored; false like `progress`, or when the task was given to another dispatch.
   * Rejects with STORAGE_UNAVAILABLE when it could not be stored in time, or when what became of the dispatch is being
   * stored in this moment. `bytes`: size of the result on the wire.
   */
  async result(frame: ResultFrame, owns: (agent: AgentRef) => boolean, bytes: number): Promise<boolean> {
    const { runner, reads, inTime } = this.deps;
    const agent = runner.agentOf(frame.dispatchId);
    if (agent !== undefined) {
      if (!owns(agent)) return false;
      await inTime(runner.report(frame, bytes));
      return true;
    }
    const task = await reads.ofDispatch(frame.dispatchId);
    if (task === undefined || !owns(task.agent)) return false;
    if (TASK_ENDS.includes(task.state)) {
      await inTime(runner.reportLate(task, frame));
      return true;
    }
    // It was accepted while the store was asked, or its result overtook its acceptance and stands for it.
    if (runner.agentOf(frame.dispatchId) !== undefined) return this.result(frame, owns, bytes);
    const link = this.deps.instances.instance(task.instance)?.link;
    if (link === undefined || this.deps.attempts.servedBy(frame.dispatchId, link) === undefined) {
      // The endpoint was given up while it had the task, and how that ended is not stored yet.
      throw new ReachError('STORAGE_UNAVAILABLE', 'What became of this dispatch is being stored; report it again.');
    }
    this.deps.attempts.completed(frame, link, bytes);
    await inTime(runner.ended(frame.dispatchId));
    return true;
  }
}
