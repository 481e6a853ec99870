import { type FieldFault, ReachError } from '../protocol/index.js';

/** Collects what is wrong with an input, so that all of it is reported at once. */
export class Faults {
  private readonly list: FieldFault[] = [];

  add(fault: FieldFault | undefined): void {
    if (fault !== undefined) this.list.push(fault);
  }

  /** A text of `min` to `max` characters. */
  text(path: string, value: unknown, min: number, max: number): void {
    if (typeof value === 'string' && value.length >= min && value.length <= max) return;
    this.list.push({ path, got: shown(value), allowed: `text of ${min} to ${max} characters` });
  }

  /** A whole number in a range. */
  integer(path: string, value: unknown, min: number, max: number): void {
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return;
    this.list.push({ path, got: shown(value), allowed: `a whole number from ${min} to ${max}` });
  }

  oneOf(path: string, value: unknown, allowed: readonly string[]): void {
    if (typeof value === 'string' && allowed.includes(value)) return;
    this.list.push({ path, got: shown(value), allowed: allowed.join(', ') });
  }

  object(path: string, value: unknown): void {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return;
    this.list.push({ path, got: shown(value), allowed: 'an object' });
  }

  /** Throws INVALID_INPUT with every fault, or returns when there is none. */
  raise(what: string): void {
    if (this.list.length === 0) return;
    const sentences = this.list.map((fault) => `${fault.path}: got ${fault.got}, allowed: ${fault.allowed}`);
    throw new ReachError('INVALID_INPUT', `${what}: ${sentences.join('; ')}`, { fields: this.list });
  }
}

/** A short picture of a value for a message. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return value.length > 60 ? `${value.length} characters` : JSON.stringify(value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
}
