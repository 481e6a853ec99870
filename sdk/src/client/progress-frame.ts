import { type JsonObject, ReachError } from '../protocol/index.js';
import { shown } from './faults.js';

/** The progress of a task as a frame. Throws INVALID_INPUT for what isn't an object that can be written as JSON. */
export function progressFrame(dispatchId: string, sequence: number, progress: JsonObject): string {
  if (typeof progress === 'object' && progress !== null && !Array.isArray(progress)) {
    try {
      return JSON.stringify({ type: 'progress', dispatchId, sequence, progress });
    } catch (cause) {
      throw new ReachError('INVALID_INPUT', 'progress: it cannot be written as JSON', { cause });
    }
  }
  throw new ReachError('INVALID_INPUT', `progress: got ${shown(progress)}, allowed: an object`, {
    fields: [{ path: 'progress', got: shown(progress), allowed: 'an object' }],
  });
}
