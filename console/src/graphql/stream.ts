import { failureOfErrors, RequestFailure } from './failure';
import type { Operation } from './operation';
import { request } from './request';
import { socket } from './socket';

/** What every stream of the API yields, whatever else it carries. */
export interface StreamEvent {
  readonly kind: 'SNAPSHOT' | 'CHANGE' | 'CHECKPOINT' | 'RESYNC';
  readonly position: string;
  readonly reason: string | null;
}

/** How a stream is doing, for the person who looks at what it brought. */
export type StreamState =
  | { readonly is: 'CONNECTING' }
  | { readonly is: 'LIVE' }
  | { readonly is: 'RECONNECTING'; readonly since: number };

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5_000;

const PING = { text: '{ viewer { name } }' } satisfies Operation<unknown, unknown>;

/**
 * Follows a stream until `signal` ends it. A lost connection is resumed after the last position; on RESYNC it starts
 * again from a snapshot. Waits grow from 0.25 s to 5 s, with jitter, and begin anew after each event.
 */
export async function follow<Event extends StreamEvent>(options: {
  readonly operation: Operation<Record<string, Event>, Record<string, unknown>>;
  readonly variables: Record<string, unknown>;
  readonly onEvent: (event: Event) => void;
  readonly onState: (state: StreamState) => void;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { operation, variables, onEvent, onState, signal } = options;
  let position: string | undefined;
  let waitMs = FIRST_WAIT_MS;
  let lostAt: number | undefined;
  onState({ is: 'CONNECTING' });

  while (!signal.aborted) {
    try {
      await receive(operation, { ...variables, after: position ?? null }, signal, (event) => {
        lostAt = undefined;
        onState({ is: 'LIVE' });
        onEvent(event);
        if (event.kind === 'RESYNC') {
          position = undefined;
          return false;
        }
        waitMs = FIRST_WAIT_MS;
        position = event.position;
        return true;
      });
    } catch (error) {
      if (signal.aborted) return;
      // A position that the server doesn't take any more must not be repeated for ever.
      if (error instanceof RequestFailure && error.code === 'INVALID_INPUT') position = undefined;
      // The socket doesn't say why it was refused; a query does, and leads to the sign-in page when that is the reason.
      await request(PING, {}, signal).catch(() => undefined);
    }
    if (signal.aborted) return;
    lostAt ??= Date.now();
    if (waitMs > FIRST_WAIT_MS || position !== undefined) onState({ is: 'RECONNECTING', since: lostAt });
    await pause(waitMs * (0.5 + Math.random() / 2), signal);
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }
}

/** One subscription, until it ends, fails, or `onEvent` returns false. */
function receive<Event>(
  operation: Operation<Record<string, Event>, Record<string, unknown>>,
  variables: Record<string, unknown>,
  signal: AbortSignal,
  onEvent: (event: Event) => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      signal.removeEventListener('abort', stop);
      resolve();
    };
    const dispose = socket().subscribe<Record<string, Event>>(
      { query: operation.text, variables },
      {
        next: (message) => {
          if (message.errors !== undefined) {
            reject(failureOfErrors(message.errors));
            stop();
            return;
          }
          const event = Object.values(message.data ?? {})[0];
          if (event !== undefined && !onEvent(event)) stop();
        },
        error: (error) => {
          signal.removeEventListener('abort', stop);
          reject(Array.isArray(error) ? failureOfErrors(error) : new Error('The connection was lost.'));
        },
        complete: end,
      },
    );
    function stop() {
      dispose();
      end();
    }
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop);
  });
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
