import type { RouteStreamEvent } from '@agent-reach/sdk/protocol';
import type { StreamEvent } from '../streams/stream-subject.js';
import type { CallerRights } from './caller-rights.js';
import type { UnversionedRoutes } from './route-streams.js';

/** Gives each event of one reader its version, the one that it goes on from, and a position that names its rights. */
export class VersionedRoutes implements AsyncIterableIterator<RouteStreamEvent> {
  #version: number;

  constructor(
    private readonly events: AsyncIterableIterator<StreamEvent<UnversionedRoutes>>,
    private readonly rights: Pick<CallerRights, 'name'>,
    /** The position in the table that the reader goes on from. */
    after: string | undefined,
  ) {
    this.#version = after === undefined ? 0 : versionOf(after);
  }

  async next(): Promise<IteratorResult<RouteStreamEvent>> {
    const event = await this.events.next();
    return event.done === true ? event : { done: false, value: this.#versioned(event.value) };
  }

  async return(): Promise<IteratorResult<RouteStreamEvent>> {
    await this.events.return?.();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #versioned(event: StreamEvent<UnversionedRoutes>): RouteStreamEvent {
    const position = `${event.position}.${this.rights.name}`;
    if (event.kind === 'Resync') return { ...event, position };
    const previous = this.#version;
    const version = versionOf(event.position);
    this.#version = version;
    return event.kind === 'Snapshot' ? { ...event, position, version } : { ...event, position, version, previous };
  }
}

/** Positions in the table are `epoch.counter`, and the counter is its version. */
function versionOf(position: string): number {
  return Number(position.slice(position.lastIndexOf('.') + 1));
}

/**
 * The position in the table that a reader's position means; one that nobody knows when its rights were others, since
 * what they then made visible or hid is no change of the table.
 */
export function positionIn(after: string, rights: Pick<CallerRights, 'name'>): string {
  const end = after.lastIndexOf('.');
  return after.slice(end + 1) === rights.name ? after.slice(0, end) : 'of other rights';
}
