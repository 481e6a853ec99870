import type { HealthFilter, HealthStreamEvent } from '../protocol/index.js';
import { EventStream, type StreamHost } from './event-stream.js';
import { Faults } from './faults.js';

/** Which health changes to follow, and from where. */
export interface HealthOptions {
  readonly filter?: HealthFilter;
  /** A position got earlier: go on after it. Without it the stream begins with a Snapshot. */
  readonly after?: string;
  /** Aborting it ends the stream. */
  readonly signal?: AbortSignal;
}

/** Health changes as they come. Throws INVALID_INPUT with every fault of the options. */
export class HealthStream extends EventStream<HealthStreamEvent> {
  constructor(id: string, options: HealthOptions, host: StreamHost) {
    const faults = new Faults();
    if (options.after !== undefined) faults.text('after', options.after, 1, 1024);
    if (options.filter !== undefined) faults.object('filter', options.filter);
    faults.raise('healthChanges');
    super(id, { ...options, stream: 'health', keyOf: ({ instance }) => instance.instance }, host);
  }
}
