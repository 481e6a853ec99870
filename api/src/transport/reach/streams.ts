import {
  CLOSE_CODES,
  type HealthFilter,
  ReachError,
  type RouteFilter,
  type SubscribeFrame,
  type TaskFilter,
} from '@agent-reach/sdk/protocol';
import type { SocketLink } from '../../deliver/socket-link.js';
import type { TaskDesk } from '../../execute/tasks/task-desk.js';
import type { Seeker } from '../../perceive/lookup/call-rights.js';
import type { Registry } from '../../perceive/registry.js';
import { eventText } from './event-text.js';

/** By what they are about: a program follows each of its tasks by a stream of its own, and has one route table. */
const MAX_STREAMS = { health: 100, routes: 10, tasks: 1_000 };
/** Above this a stream waits with its next item. */
const STREAM_BUFFER = 1024 * 1024;
const PAUSE_MS = 50;
/** A stream that is not read for so long ends with its connection, ms. */
const UNREAD_MS = 60_000;

/** What streams of a socket are about. */
export interface StreamSources {
  readonly health: Registry['health'];
  readonly routes: Registry['routes'];
  readonly tasks: Pick<TaskDesk, 'open'>;
}

/** Who reads a stream. */
export interface StreamReader {
  readonly visible: (namespace: string) => boolean;
  /** Tasks are shown to the one who asked for them, and routes to whom may call. */
  readonly caller: () => Seeker;
}

type About = SubscribeFrame['stream'];

/** The streams of one socket. */
export class Streams {
  readonly #open = new Map<string, { readonly about: About; readonly iterator: AsyncIterator<unknown> }>();
  readonly #counts = { health: 0, routes: 0, tasks: 0 };
  #ended = false;

  constructor(
    private readonly link: Pick<SocketLink, 'sendText' | 'buffered'>,
    private readonly sources: StreamSources,
    /** Closes the connection. */
    private readonly onUnread: (code: number, reason: string) => void,
  ) {}

  /** Throws CONFLICT for an id in use, RATE_LIMITED beyond 100 of health, 10 of routes and 1,000 of tasks. */
  open(frame: SubscribeFrame, reader: StreamReader): void {
    const { id, stream } = frame;
    if (this.#open.has(id)) throw new ReachError('CONFLICT', `A stream with the id ${id} runs already.`);
    if (this.#counts[stream] >= MAX_STREAMS[stream]) {
      throw new ReachError('RATE_LIMITED', `At most ${MAX_STREAMS[stream]} streams of ${stream} a connection.`);
    }
    const opened = this.#opened(frame, reader);
    this.#open.set(id, { about: stream, iterator: opened });
    this.#counts[stream]++;
    void this.#pump(id, opened);
  }

  #opened({ stream, after, filter }: SubscribeFrame, { visible, caller }: StreamReader): AsyncIterableIterator<object> {
    const { health, routes, tasks } = this.sources;
    switch (stream) {
      case 'health':
        return health.open({ after, filter: filter as HealthFilter | undefined, visible });
      case 'routes':
        return routes.open({ after, filter: filter as RouteFilter | undefined, visible, seeker: caller });
      case 'tasks': {
        const reader = { kind: 'CALLER', caller: caller().caller } as const;
        return tasks.open({ after, filter: filter as TaskFilter | undefined, reader });
      }
      default:
        return stream satisfies never;
    }
  }

  close(id: string): void {
    const stream = this.#open.get(id);
    if (stream === undefined) return;
    this.#open.delete(id);
    this.#counts[stream.about]--;
    void stream.iterator.return?.();
  }

  end(): void {
    this.#ended = true;
    for (const { iterator } of this.#open.values()) void iterator.return?.();
    this.#open.clear();
  }

  /** Takes the next item only when the last one is on its way, so that a slow reader gets the newest state of each. */
  async #pump(id: string, stream: AsyncIterableIterator<object>) {
    const head = `{"type":"event","id":${JSON.stringify(id)},"event":`;
    for await (const event of stream) {
      this.link.sendText(`${head}${eventText(event)}}`);
      for (let waited = 0; this.link.buffered > STREAM_BUFFER && !this.#ended; waited += PAUSE_MS) {
        if (waited > UNREAD_MS) this.onUnread(CLOSE_CODES.TOO_SLOW, 'a stream was not read for a minute');
        await pause();
      }
    }
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}
