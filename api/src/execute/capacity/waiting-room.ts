import type { QueueSettings } from '@agent-reach/sdk/decide';
import { WIRE_LIMITS } from '@agent-reach/sdk/protocol';
import type { CallRun } from '../calls/call-run.js';
import type { Ticket, WaitQueue } from './wait-queue.js';

/** Runs that one free place lets try at most; more than one, because those in front may want somebody else. */
const TRIES = 8;

/** Where calls wait for room: a queue by capability, in the order of their priority. */
export class WaitingRoom {
  constructor(private readonly lists: WaitQueue<CallRun>) {}

  /** Calls that wait. */
  get total(): number {
    return this.lists.total;
  }

  /** Undefined when the queue is full. */
  enter(run: CallRun, capability: string, { maxLength }: QueueSettings): Ticket<CallRun> | undefined {
    return this.lists.enter(`${run.namespace} ${capability}`, priorityOf(run), run, maxLength);
  }

  leave(ticket: Ticket<CallRun>): void {
    this.lists.leave(ticket);
  }

  /** Whether somebody waits for the capability who goes before this call. */
  precede(run: CallRun, capability: string): boolean {
    if (this.lists.total === 0) return false;
    const first = this.lists.first(`${run.namespace} ${capability}`);
    return first !== undefined && priorityOf(first) >= priorityOf(run);
  }

  /** The next few who wait, in their order; a copy, since those who find room leave. */
  inTurn(queue: string): readonly CallRun[] {
    return this.lists.waiting(queue, TRIES);
  }

  /** The queues in which somebody waits. */
  queues(): Iterable<string> {
    return this.lists.queues();
  }
}

function priorityOf({ request }: CallRun): number {
  return request.priority ?? WIRE_LIMITS.defaultPriority;
}
