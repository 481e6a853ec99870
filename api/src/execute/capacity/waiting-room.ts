import type { QueueSettings } from '@agent-reach/sdk/decide';
import { WIRE_LIMITS } from '@agent-reach/sdk/protocol';
import type { CallRun } from '../calls/call-run.js';
import type { Ticket, WaitQueue } from './wait-queue.js';

/** Where calls wait for room: a queue by capability, in the order of their priority. */
export class WaitingRoom {
  constructor(private readonly lists: WaitQueue<CallRun>) {}

  /** Calls that wait. */
  get total(): number {
    return this.lists.total;
  }

  /** Undefined when the queue is full. */
  enter(run: CallRun, capability: string, { maxLength }: QueueSettings): Ticket<CallRun> | undefined {
    return this.lists.enter(`${run.namespace} ${capability}`, kindOf(run), priorityOf(run), run, maxLength);
  }

  leave(ticket: Ticket<CallRun>): void {
    this.lists.leave(ticket);
  }

  /** Whether somebody waits for the capability who goes before this call. */
  precede(run: CallRun, capability: string): boolean {
    if (this.lists.total === 0) return false;
    const first = this.lists.first(`${run.namespace} ${capability}`);
    return first !== undefined && first.priority >= priorityOf(run);
  }

  /** Whose turn it is, those of `passed` kinds aside. */
  first(queue: string, passed: ReadonlySet<string>): Ticket<CallRun> | undefined {
    return this.lists.first(queue, passed);
  }

  /** The queues in which somebody waits. */
  queues(): Iterable<string> {
    return this.lists.queues();
  }
}

function priorityOf({ request }: CallRun): number {
  return request.priority ?? WIRE_LIMITS.defaultPriority;
}

/** Calls of one kind find room with just the same instances; one with a history of its own is of its own kind. */
function kindOf({ key, request, target, caller, chain, tried }: CallRun): string {
  const own = chain === undefined && tried === undefined ? '' : key;
  const { agent, type, versions, tags } = target;
  const zone = request.zone ?? caller.zone;
  return JSON.stringify([own, caller.caller, zone, caller.domain, agent, type, versions, tags, request.only]);
}
