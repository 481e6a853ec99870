import { type BroadcastFrame, type CallFrame, type CancelCallFrame, ReachError } from '@agent-reach/sdk/protocol';
import type { SocketLink } from '../../deliver/socket-link.js';
import type { BroadcastPort, CallerContext, CallHandle, CallOutcome, CallPort } from '../../execute/ports.js';
import type { TaskDesk } from '../../execute/tasks/task-desk.js';
import { replyFrame } from '../reply-frame.js';
import type { SearchTurns } from './search-turns.js';

export interface ConnectionCallsDeps {
  readonly calls: CallPort;
  readonly broadcasts: BroadcastPort;
  readonly tasks: Pick<TaskDesk, 'cancel'>;
  readonly searches: SearchTurns;
  /** Who calls, as of now. */
  readonly caller: () => CallerContext;
  readonly refuse: (error: unknown, ref: string) => void;
}

/** The calls and broadcasts that run for one connection. */
export class ConnectionCalls {
  readonly #running = new Map<string, { readonly frame: CallFrame; readonly handle: CallHandle }>();
  readonly #broadcasts = new Map<string, AbortController>();
  #ended = false;

  constructor(
    private readonly link: Pick<SocketLink, 'send'>,
    private readonly deps: ConnectionCallsDeps,
  ) {}

  call(frame: CallFrame): void {
    const running = this.#running.get(frame.requestId);
    if (running !== undefined) {
      // The same frame again while it runs: the one reply that will come answers both. Another request is a conflict.
      if (!asksTheSame(running.frame, frame)) this.deps.calls.start(frame, this.deps.caller(), this.#reply);
      return;
    }
    if (frame.target.need === undefined) this.#start(frame);
    else this.#startInTurn(frame);
  }

  /** Of a call that runs, or of an accepted task; one that is unknown or over has nothing to cancel. */
  cancel({ requestId, taskId }: CancelCallFrame): void {
    if (requestId !== undefined) this.#running.get(requestId)?.handle.cancel('CALLER');
    if (taskId === undefined) return;
    const { tasks, caller, refuse } = this.deps;
    const who = caller().caller;
    tasks.cancel(taskId, { kind: 'CALLER', caller: who }, who).catch((error) => {
      if (!(error instanceof ReachError) || error.code !== 'NOT_FOUND') refuse(error, taskId);
    });
  }

  async broadcast({ type: _, ...request }: BroadcastFrame): Promise<void> {
    const { broadcasts, caller, refuse } = this.deps;
    const { requestId } = request;
    if (this.#broadcasts.has(requestId)) {
      return refuse(new ReachError('CONFLICT', `A broadcast with the id ${requestId} runs already.`), requestId);
    }
    const gone = new AbortController();
    this.#broadcasts.set(requestId, gone);
    const outcome = await broadcasts.broadcast(request, caller(), gone.signal);
    this.#broadcasts.delete(requestId);
    const ok = 'answers' in outcome;
    this.link.send(ok ? { type: 'gathered', ok, ...outcome } : { type: 'gathered', ok, ...outcome });
  }

  /** The connection is gone, and with it the caller. */
  end(): void {
    this.#ended = true;
    for (const { handle } of this.#running.values()) handle.cancel('CALLER_GONE');
    this.#running.clear();
    for (const gone of this.#broadcasts.values()) gone.abort();
  }

  #start(frame: CallFrame, cancelled = false): void {
    let ended = false;
    const onEnd = (outcome: CallOutcome) => {
      ended = true;
      this.#running.delete(frame.requestId);
      this.#reply(outcome);
    };
    const handle = this.deps.calls.start(frame, this.deps.caller(), onEnd, cancelled);
    if (!ended) this.#running.set(frame.requestId, { frame, handle });
  }

  /** What a need means is searched for, and searches take turns. */
  #startInTurn(frame: CallFrame): void {
    let cancelled = false;
    const cancel = () => {
      cancelled = true;
    };
    try {
      this.deps.searches.schedule(this, () => {
        if (!this.#ended) this.#start(frame, cancelled);
      });
      this.#running.set(frame.requestId, { frame, handle: { cancel } });
    } catch (error) {
      this.deps.refuse(error, frame.requestId);
    }
  }

  readonly #reply = (outcome: CallOutcome): void => {
    this.link.send(replyFrame(outcome));
  };
}

/** Whether two frames of one requestId ask for the same; the order of fields counts, as repeating sends the same text. */
function asksTheSame(one: CallFrame, other: CallFrame): boolean {
  return JSON.stringify([one.target, one.params]) === JSON.stringify([other.target, other.params]);
}
