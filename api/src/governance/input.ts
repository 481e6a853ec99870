import { type FieldFault, ReachError } from '@agent-reach/sdk/protocol';

/** Longest description or comment, in characters. */
export const MAX_TEXT = 2000;

/** Collects the faults of an input, so that all are told at once. */
export class InputCheck {
  readonly #faults: FieldFault[] = [];

  add(fault: FieldFault | undefined): void {
    if (fault !== undefined) this.#faults.push(fault);
  }

  /** A text of at most `max` characters and, unless `min` says otherwise, any length below. */
  text(path: string, value: string | null | undefined, max: number, min = 0): void {
    if (value == null) return;
    const length = value.length;
    if (length < min || length > max) {
      this.add({ path, got: `${length} characters`, allowed: `${min} to ${max} characters` });
    } else if (/\p{Cc}/u.test(value.replace(/[\n\r\t]/g, ''))) {
      this.add({ path, got: 'a control character', allowed: 'printable text' });
    }
  }

  whole(path: string, value: number | null | undefined, min: number, max: number): void {
    if (value == null || (Number.isInteger(value) && value >= min && value <= max)) return;
    this.add({ path, got: String(value), allowed: `a whole number from ${min} to ${max}` });
  }

  /** A number with decimals. */
  number(path: string, value: number | null | undefined, min: number, max: number): void {
    if (value == null || (Number.isFinite(value) && value >= min && value <= max)) return;
    this.add({ path, got: String(value), allowed: `a number from ${min} to ${max}` });
  }

  /** A time that lies in the future. */
  future(path: string, value: Date | null | undefined, now: number): void {
    if (value == null || value.getTime() > now) return;
    this.add({ path, got: value.toISOString(), allowed: 'a time in the future' });
  }

  /** Throws INVALID_INPUT with every fault, if there is any. */
  finish(what: string): void {
    if (this.#faults.length === 0) return;
    throw new ReachError('INVALID_INPUT', `${what} has faults; the fields say which.`, { fields: this.#faults });
  }
}

/** CONFLICT for an update that was based on another version than the one there is. */
export function versionConflict(what: string, expected: number, current: { readonly version: number }): ReachError {
  return new ReachError(
    'CONFLICT',
    `${what} is at version ${current.version} by now, not ${expected}; look at the current state and decide anew.`,
    { details: { current } },
  );
}

export function notFound(what: string, id: string): ReachError {
  return new ReachError('NOT_FOUND', `There is no ${what} ${JSON.stringify(id)} that this credential may see.`);
}
