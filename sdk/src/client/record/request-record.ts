import type { CallerRef } from '../../protocol/index.js';

/** What names a request for ever: the same caller repeating it means the same execution. */
export interface RequestKey {
  readonly caller: CallerRef;
  readonly requestId: string;
}

/** A request whose handler is about to start. */
export interface RequestStart extends RequestKey {
  readonly capability: string;
}

/** How a request ended, before its result is sent. */
export interface RequestEnd extends RequestStart {
  /** The dispatch that the result belongs to. */
  readonly dispatchId: string;
  /** Tasks only: keep it among the `unconfirmed` until `confirmed` is called. */
  readonly awaitsConfirmation: boolean;
  /** JSON of `{ ok: true, result }` or `{ ok: false, error }`; to be given back as it is. */
  readonly outcome: string;
}

/** What is known of a request. Without `outcome` it began, and nobody noted an end. */
export interface KnownRequest {
  readonly capability: string;
  readonly outcome?: string | undefined;
}

/**
 * Where an agent remembers which requests it executed, so that none is executed twice, whatever is restarted: by
 * (caller, requestId), for 24 hours. Not asked for idempotent calls. The methods may answer at once, as the default (a
 * file) does, or with a promise, as a database does; a handler starts only when `begin` has answered, and a result
 * leaves only when `end` has. When `begin` or `find` fails, the dispatch is refused as BUSY and goes elsewhere; when
 * `end` fails, the result is sent all the same.
 */
export interface RequestRecord {
  /**
   * Notes durably that a request begins, in one step with looking whether it is known: then it changes nothing and
   * answers with what is known. Several processes may share a record: only one of them gets undefined.
   */
  begin(start: RequestStart): KnownRequest | undefined | Promise<KnownRequest | undefined>;
  /** Notes durably how a request ended. Idempotent tasks are noted without a `begin` before. */
  end(end: RequestEnd): void | Promise<void>;
  find(key: RequestKey): KnownRequest | undefined | Promise<KnownRequest | undefined>;
  /** The server has stored the result; it need not be sent again. */
  confirmed(key: RequestKey): void | Promise<void>;
  /** The results of tasks that earlier processes of this instance ended and that nobody confirmed. */
  unconfirmed(): readonly RequestEnd[] | Promise<readonly RequestEnd[]>;
  /** The agent has stopped. */
  close?(): void;
}

/** How long a request is remembered, in ms. */
export const RECORD_KEPT_MS = 86_400_000;

/** One text for a key, for maps. Neither part of a caller's name holds a line feed. */
export const keyText = ({ caller, requestId }: RequestKey): string => `${caller}\n${requestId}`;
