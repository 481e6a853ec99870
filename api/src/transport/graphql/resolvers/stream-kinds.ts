import type { StreamEventKindEnum } from '../types/enums.types.js';

/** How the kinds of events that the core's streams yield are written in GraphQL. */
export const STREAM_KINDS = {
  Snapshot: 'SNAPSHOT',
  Change: 'CHANGE',
  Checkpoint: 'CHECKPOINT',
  Resync: 'RESYNC',
} as const satisfies Readonly<Record<string, keyof typeof StreamEventKindEnum>>;
