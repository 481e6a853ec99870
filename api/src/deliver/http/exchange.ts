import type { Dispatcher } from 'undici';
import type { AttemptEvents } from '../../execute/attempts/delivery.js';
import type { Link } from '../../perceive/instance.js';
import { meaningOf, tooLarge } from './answer.js';

/** What an exchange tells of. */
export interface HttpEvents extends Pick<AttemptEvents, 'undeliverable' | 'acked' | 'completed' | 'faulty' | 'broken'> {
  /**
   * The request is written to a connection. HTTP has no ack, so from now on the attempt waits for its result alone; a
   * refusal may still come.
   */
  handedOver(dispatchId: string, link: Link): void;
}

export interface ExchangeDeps {
  readonly events: () => HttpEvents;
  readonly maxBytes: number;
  /** Wall clock, ms since 1970. */
  readonly wall: () => number;
}

/** WAITING for a connection; SENT over one; OVER: answered, failed or given up, and nothing is told any more. */
type State = 'WAITING' | 'SENT' | 'OVER';

/**
 * One dispatch over HTTP, from the wait for a connection to its answer. Tells of exactly one end, or of none once it was
 * given up. What fails before the request is written was never there; whatever fails after may have been executed.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  #state: State = 'WAITING';
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: Readonly<Record<string, string | string[] | undefined>> = {};
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(
    private readonly dispatch: { readonly dispatchId: string; readonly isTask: boolean },
    private readonly link: Link,
    private readonly deps: ExchangeDeps,
    /** Told once, when nothing more will come of it. */
    private readonly onOver: () => void,
  ) {}

  /** Gives it up: a connection that serves it is closed, which is how an endpoint learns of it. */
  abandon(): void {
    if (this.#state === 'OVER') return;
    this.#over();
    this.#abort();
  }

  // --- called by undici --------------------------------------------------------------------------------------------

  /** A connection is there, and the request is written next. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Given up while it waited, or written once already: what may have been executed is not sent again.
    if (this.#state !== 'WAITING') return controller.abort(new Error('given up'));
    this.#state = 'SENT';
    this.#controller = controller;
    this.deps.events().handedOver(this.dispatch.dispatchId, this.link);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#state !== 'SENT') return;
    this.#bytes += chunk.length;
    if (this.#bytes <= this.deps.maxBytes) {
      this.#chunks.push(chunk);
      return;
    }
    const { maxBytes, events } = this.deps;
    this.#over();
    events().faulty(this.dispatch.dispatchId, this.link, tooLarge(maxBytes));
    this.#abort();
  }

  onResponseEnd(): void {
    if (this.#state !== 'SENT') return;
    const events = this.deps.events();
    const answer = { status: this.#status, headers: this.#headers, body: Buffer.concat(this.#chunks) };
    const meaning = meaningOf(answer, this.dispatch, this.deps.wall());
    this.#over();
    switch (meaning.kind) {
      case 'RESULT':
        return events.completed(meaning.frame, this.link, this.#bytes);
      case 'ACK':
        return events.acked(meaning.frame, this.link);
      case 'FAULTY':
        return events.faulty(this.dispatch.dispatchId, this.link, meaning.error);
    }
  }

  onResponseError(): void {
    const { dispatchId } = this.dispatch;
    const events = this.deps.events();
    const before = this.#state;
    if (before === 'OVER') return;
    this.#over();
    if (before === 'SENT') events.broken(dispatchId, this.link);
    // Reported later, so that whoever offers has finished its own step.
    else queueMicrotask(() => events.undeliverable(dispatchId));
  }

  #over(): void {
    this.#state = 'OVER';
    this.#chunks = [];
    this.onOver();
  }

  #abort(): void {
    this.#controller?.abort(new Error('given up'));
  }
}
