import type { Candidate, RouteInstance } from './candidate.js';

/**
 * What runs on an instance counts in two pools, so that tasks, which take long, leave room for short calls and the other
 * way round. A candidate stands for one capability, whose mode says which of the two a call of it is for.
 */

/** Calls, or tasks, that run on a candidate's instance beside this one. */
export function running({ instance, capability }: Candidate): number {
  return capability.mode === 'TASK' ? instance.live.tasks : instance.live.inFlight;
}

/** How many may run at once, without those that the instance queues itself. */
export function limitOf({ instance, capability }: Candidate): number {
  return capability.mode === 'TASK' ? instance.maxTasks : instance.maxConcurrency;
}

/** Whether one more may be sent there. An instance queues calls, if it says so, and never tasks. */
export function hasRoom(candidate: Candidate): boolean {
  const { instance, capability } = candidate;
  return capability.mode === 'TASK' ? instance.live.tasks < instance.maxTasks : hasRoomForCall(instance);
}

/** The same of one that is known to be for short calls. */
export function hasRoomForCall({ live, maxConcurrency, maxQueue }: RouteInstance): boolean {
  return live.inFlight < maxConcurrency + maxQueue;
}
