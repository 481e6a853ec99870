import type { RouteTable } from '@agent-reach/sdk/decide';
import {
  type AgentRef,
  type ErrorCode,
  type ProgressFrame,
  ReachError,
  type ResultFrame,
  TASK_ENDS,
  type TaskView,
} from '@agent-reach/sdk/protocol';
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
  readonly inTime: <T>(stored: Promise<T>) => Promise<T>;
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
   * True once the agent's word is stored as the end of the task; false like `progress`, or when the task was given to
   * another dispatch, or ended by something else: cancelled, out of time. Rejects with STORAGE_UNAVAILABLE when it could not be stored in time, or when what became of the dispatch is being
   * stored in this moment. `bytes`: size of the result on the wire.
   */
  async result(frame: ResultFrame, owns: (agent: AgentRef) => boolean, bytes: number): Promise<boolean> {
    const { runner, reads, inTime } = this.deps;
    const agent = runner.agentOf(frame.dispatchId);
    if (agent !== undefined) {
      if (!owns(agent)) return false;
      return isAgentsWord(await inTime(runner.report(frame, bytes)));
    }
    const task = await reads.ofDispatch(frame.dispatchId);
    if (task === undefined || !owns(task.agent)) return false;
    if (TASK_ENDS.includes(task.state)) {
      await inTime(runner.reportLate(task, frame));
      return isAgentsWord(task);
    }
    // It was accepted while the store was asked, or its result overtook its acceptance and stands for it.
    if (runner.agentOf(frame.dispatchId) !== undefined) return this.result(frame, owns, bytes);
    const link = this.deps.instances.instance(task.instance)?.link;
    if (link === undefined || this.deps.attempts.servedBy(frame.dispatchId, link) === undefined) {
      // The endpoint was given up while it had the task, and how that ended is not stored yet.
      throw new ReachError('STORAGE_UNAVAILABLE', 'What became of this dispatch is being stored; report it again.');
    }
    this.deps.attempts.completed(frame, link, bytes);
    return isAgentsWord((await inTime(runner.ended(frame.dispatchId))) ?? (await reads.ofDispatch(frame.dispatchId)));
  }
}

/** What can only have ended a task because its agent said so. */
const OF_AGENTS: readonly ErrorCode[] = ['AGENT_ERROR', 'BUSINESS_ERROR', 'INVALID_RESULT'];

/** Whether a task ended as its agent said, so that a repeated result is one that was taken. UNKNOWN waits for its word. */
function isAgentsWord(task: TaskView | undefined): boolean {
  switch (task?.state) {
    case 'COMPLETED':
    case 'UNKNOWN':
      return true;
    case 'FAILED':
      return task.error !== undefined && OF_AGENTS.includes(task.error.code);
    default:
      return false;
  }
}
