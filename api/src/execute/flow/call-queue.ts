import type { NoneLeft, QueueSettings } from '@agent-reach/sdk/decide';
import type { WireError } from '@agent-reach/sdk/protocol';
import type { Instance } from '../../perceive/instance.js';
import { CallbackTimer } from '../attempts/timing-wheel.js';
import type { CallRun, CallState } from '../calls/call-run.js';
import { arm, type CallFlowDeps, DECIDING, disarm } from './flow-deps.js';

/** How often those who wait look whether something changed that nobody told of, ms. */
const LOOK_MS = 100;
/** Kinds of calls that one free place lets try in vain at most. */
const VAIN_TRIES = 64;
/** Calls that one free place lets go at most; the next look serves the others. */
const MAX_ADMITTED = 256;
/** As long as an instance of the usual lease has to come back; who has not by then is OFFLINE. */
const RETURNING: QueueSettings = { maxLength: 10_000, maxWaitMs: 15_000 };

/** Where a call waits that found nobody; undefined when it has to end. */
export function waitsIn({ outcome, policy, permitted }: NoneLeft<Instance>): QueueSettings | undefined {
  if (outcome === 'OVERLOADED') return policy.content.queue ?? undefined;
  // After a restart of the server: who was here before has not been heard yet, and mostly is back in a moment.
  return outcome === 'NO_ROUTE' && permitted?.instance.live.health === 'UNKNOWN' ? RETURNING : undefined;
}

/** Calls that wait until somebody can take them: each tries again, in its turn, when a place became free. */
export class CallQueue {
  readonly #look: CallbackTimer;

  /**
   * @param tryAgain decides once more for a call that waits; false: it waits on, and so do those behind it
   */
  constructor(
    private readonly deps: CallFlowDeps,
    private readonly tryAgain: (run: CallRun, state: Extract<CallState, { name: 'QUEUED' }>) => boolean,
  ) {
    this.#look = new CallbackTimer(() => this.#lookForRoom());
  }

  /** False when the queue is full. `late`: how the call ends when its wait was in vain. */
  enter(run: CallRun, capability: string, settings: QueueSettings, monotonic: number, late: WireError): boolean {
    const { waiting, wheel } = this.deps;
    const ticket = waiting.enter(run, capability, settings);
    if (ticket === undefined) return false;
    const until = Math.min(run.deadlineAt, monotonic + settings.maxWaitMs);
    run.state = { name: 'QUEUED', since: monotonic, until, ticket, late };
    arm(this.deps, run, until);
    if (waiting.total === 1) wheel.arm(this.#look, monotonic + LOOK_MS);
    return true;
  }

  leave(run: CallRun, { ticket }: Extract<CallState, { name: 'QUEUED' }>): void {
    this.deps.waiting.leave(ticket);
    disarm(this.deps, run);
    run.state = DECIDING;
  }

  /** A place became free at an instance: who waits for it may try. */
  roomAt(instance: Instance): void {
    if (this.deps.waiting.total === 0) return;
    for (const { name } of instance.capabilities) this.#admit(`${instance.namespace} ${name}`, instance);
  }

  /** Not everything that makes room is told of, such as a new instance. */
  #lookForRoom(): void {
    const { waiting, wheel, clock } = this.deps;
    for (const queue of waiting.queues()) this.#admit(queue);
    if (waiting.total > 0) wheel.arm(this.#look, clock.monotonic() + LOOK_MS);
  }

  /** Lets those of a queue try in their turn; who finds nobody holds up only those who want just the same. */
  #admit(queue: string, room?: Instance): void {
    const { waiting, onBroke } = this.deps;
    const passed = new Set<string>();
    for (let vain = 0, admitted = 0; vain < VAIN_TRIES && admitted < MAX_ADMITTED; ) {
      const ticket = waiting.first(queue, passed);
      if (ticket === undefined) return;
      const { item: run, kind } = ticket;
      if (run.state.name !== 'QUEUED' || (room !== undefined && !mayWant(run, room))) {
        passed.add(kind);
        continue;
      }
      try {
        if (this.tryAgain(run, run.state)) {
          admitted++;
          continue;
        }
      } catch (error) {
        onBroke(run, error);
      }
      passed.add(kind);
      vain++;
    }
  }
}

/** Whether a free place at the instance can be what the call waits for. */
function mayWant({ target, request, namespace }: CallRun, instance: Instance): boolean {
  const { agent, type } = target;
  if (request.only !== undefined && request.only !== instance.ref) return false;
  if (agent !== undefined && instance.agent !== `${namespace}/${agent}`) return false;
  return type === undefined || type === instance.agentType;
}
