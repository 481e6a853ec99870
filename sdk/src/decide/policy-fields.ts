import type { FieldFault, JsonObject } from '../protocol/index.js';
import { jsonFault } from './plain-json.js';

const MAX_TEXT = 200;
/** The largest number that a policy may hold: what 32 bits hold, so that no reader of it overflows. */
export const MAX_INT = 2_147_483_647;

/**
 * Reads the fields of one object of an input, collecting faults. What is absent or null takes its usual value, and so
 * does what is faulty: the faults tell that the whole is not to be used.
 */
export class FieldReader {
  readonly #path: string;
  readonly #faults: FieldFault[];
  readonly #values: ReadonlyMap<string, unknown>;
  readonly #known = new Set<string>();
  /** Whether the object was given at all. */
  readonly given: boolean;

  constructor(path: string, input: unknown, faults: FieldFault[]) {
    this.#path = path;
    this.#faults = faults;
    const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
    this.given = isObject;
    this.#values = new Map(isObject ? Object.entries(input) : []);
    if (!isObject && input != null) this.fault('', shown(input), 'an object');
  }

  /** Adds a fault of one of the fields, or with `''` of the object itself. */
  fault(field: string, got: string, allowed: string): void {
    this.#faults.push({ path: this.#pathOf(field), got, allowed });
  }

  /** Whether a field was given. A fault when it must be and was not. */
  has(field: string, required?: { readonly allowed: string }): boolean {
    this.#known.add(field);
    if (this.#values.get(field) != null) return true;
    if (required !== undefined) this.fault(field, 'nothing', required.allowed);
    return false;
  }

  isList(field: string): boolean {
    return Array.isArray(this.#values.get(field));
  }

  /** Whether a fault was found in this object so far. */
  get hasFaults(): boolean {
    return this.#faults.some(({ path }) => path === this.#path || path.startsWith(`${this.#path}.`));
  }

  object(field: string): FieldReader {
    return new FieldReader(this.#pathOf(field), this.#take(field), this.#faults);
  }

  /** A list of objects, each with a reader of its own; empty when it is absent. */
  objects(field: string, max: number): readonly FieldReader[] {
    return this.#list(field, max).map((each, index) => this.#child(`${field}.${index}`, each));
  }

  /** The fields of an object that is a table of names of any kind; at most so many. */
  names(max: number): readonly string[] {
    const names = [...this.#values.keys()];
    for (const name of names) this.#known.add(name);
    if (names.length > max) this.fault('', `${names.length} entries`, `at most ${max}`);
    return names.slice(0, max);
  }

  text<U>(
    field: string,
    usual: U,
    isAllowed: (text: string) => boolean,
    allowed: string,
    maxLength = MAX_TEXT,
  ): string | U {
    const value = this.#take(field);
    if (value == null) return usual;
    if (typeof value === 'string' && value.length <= maxLength && isAllowed(value)) return value;
    this.fault(field, shown(value), allowed);
    return usual;
  }

  oneOf<T extends string, U>(field: string, usual: U, names: readonly T[]): T | U {
    const value = this.#take(field);
    if (value == null) return usual;
    const name = names.find((each) => each === value);
    if (name === undefined) this.fault(field, shown(value), names.join(', '));
    return name ?? usual;
  }

  /** A list of texts without duplicates; empty when it is absent. */
  texts(field: string, max: number, isAllowed: (text: string) => boolean, allowed: string): readonly string[] {
    const texts = new Set<string>();
    for (const [index, each] of this.#list(field, max).entries()) {
      if (typeof each === 'string' && each.length <= MAX_TEXT && isAllowed(each)) texts.add(each);
      else this.fault(`${field}.${index}`, shown(each), allowed);
    }
    return [...texts];
  }

  flag<U>(field: string, usual: U): boolean | U {
    const value = this.#take(field);
    if (value == null) return usual;
    if (typeof value === 'boolean') return value;
    this.fault(field, shown(value), 'true or false');
    return usual;
  }

  number<U>(field: string, usual: U, min: number, max: number): number | U {
    return this.#number(field, usual, min, max, Number.isFinite, `a number from ${min} to ${max}`);
  }

  whole<U>(field: string, usual: U, min: number, max: number): number | U {
    return this.#number(field, usual, min, max, Number.isInteger, `a whole number from ${min} to ${max}`);
  }

  /** An object that is data as a whole; undefined when it is absent or faulty. Its size counts as JSON. */
  json(field: string, maxBytes: number): JsonObject | undefined {
    const value = this.#take(field);
    if (value == null) return undefined;
    if (typeof value !== 'object' || Array.isArray(value)) {
      this.fault(field, shown(value), 'an object');
      return undefined;
    }
    const fault = jsonFault(value, maxBytes);
    if (fault === undefined) return value as JsonObject;
    this.fault(field, fault.got, fault.allowed);
    return undefined;
  }

  /** Faults for every field that nobody asked for. */
  refuseUnknown(): void {
    const known = [...this.#known].join(', ');
    for (const field of this.#values.keys()) {
      if (!this.#known.has(field)) this.fault(field, 'an unknown field', `one of ${known}`);
    }
  }

  #number<U>(
    field: string,
    usual: U,
    min: number,
    max: number,
    isKind: (value: unknown) => boolean,
    allowed: string,
  ): number | U {
    const value = this.#take(field);
    if (value == null) return usual;
    if (typeof value === 'number' && isKind(value) && value >= min && value <= max) return value;
    this.fault(field, shown(value), allowed);
    return usual;
  }

  #list(field: string, max: number): readonly unknown[] {
    const value = this.#take(field);
    if (value == null) return [];
    if (!Array.isArray(value)) {
      this.fault(field, shown(value), 'a list');
      return [];
    }
    if (value.length > max) this.fault(field, `${value.length} entries`, `at most ${max}`);
    return value.slice(0, max);
  }

  /** An entry of a list can't be left out as a field can. */
  #child(path: string, value: unknown): FieldReader {
    if (value == null) this.fault(path, shown(value), 'an object');
    return new FieldReader(this.#pathOf(path), value, this.#faults);
  }

  /** Names from outside are cut to what a path can bear. */
  #pathOf(field: string): string {
    return field === '' ? this.#path : `${this.#path}.${field.slice(0, 200)}`;
  }

  #take(field: string): unknown {
    this.#known.add(field);
    return this.#values.get(field);
  }
}

/** A value of an input as a fault shows it. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return JSON.stringify(value)?.slice(0, 100) ?? typeof value;
}
