import type { FieldFault } from '../protocol/index.js';

const MAX_TEXT = 200;

/** Reads the fields of one object of an input, collecting faults; what is absent or null takes its default. */
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

  fault(field: string, got: string, allowed: string): void {
    this.#faults.push({ path: field === '' ? this.#path : `${this.#path}.${field}`, got, allowed });
  }

  object(field: string): FieldReader {
    return new FieldReader(`${this.#path}.${field}`, this.#take(field), this.#faults);
  }

  text(field: string, usual: string, isAllowed: (text: string) => boolean, allowed: string): string {
    const value = this.#take(field);
    if (value == null) return usual;
    if (typeof value === 'string' && value.length <= MAX_TEXT && isAllowed(value)) return value;
    this.fault(field, shown(value), allowed);
    return usual;
  }

  oneOf<T extends string>(field: string, usual: T, names: readonly T[]): T {
    const value = this.#take(field);
    if (value == null) return usual;
    const name = names.find((each) => each === value);
    if (name === undefined) this.fault(field, shown(value), names.join(', '));
    return name ?? usual;
  }

  texts(field: string, max: number, isAllowed: (text: string) => boolean, allowed: string): readonly string[] {
    const value = this.#take(field);
    if (value == null) return [];
    if (!Array.isArray(value)) {
      this.fault(field, shown(value), 'a list');
      return [];
    }
    if (value.length > max) this.fault(field, `${value.length} entries`, `at most ${max}`);
    const texts = new Set<string>();
    for (const [index, each] of value.slice(0, max).entries()) {
      if (typeof each === 'string' && each.length <= MAX_TEXT && isAllowed(each)) texts.add(each);
      else this.fault(`${field}.${index}`, shown(each), allowed);
    }
    return [...texts];
  }

  flag(field: string, usual: boolean): boolean {
    const value = this.#take(field);
    if (value == null) return usual;
    if (typeof value === 'boolean') return value;
    this.fault(field, shown(value), 'true or false');
    return usual;
  }

  number(field: string, usual: number, min: number, max: number): number {
    return this.#number(field, usual, min, max, Number.isFinite, `a number from ${min} to ${max}`);
  }

  whole(field: string, usual: number, min: number, max: number): number {
    return this.#number(field, usual, min, max, Number.isInteger, `a whole number from ${min} to ${max}`);
  }

  wholeOrNull(field: string, min: number, max: number): number | null {
    if (this.#values.get(field) != null) return this.whole(field, min, min, max);
    this.#known.add(field);
    return null;
  }

  /** Faults for every field that nobody asked for. */
  refuseUnknown(): void {
    const known = [...this.#known].join(', ');
    for (const field of this.#values.keys()) {
      if (!this.#known.has(field)) this.fault(field.slice(0, 80), 'an unknown field', `one of ${known}`);
    }
  }

  #number(
    field: string,
    usual: number,
    min: number,
    max: number,
    isKind: (value: unknown) => boolean,
    allowed: string,
  ): number {
    const value = this.#take(field);
    if (value == null) return usual;
    if (typeof value === 'number' && isKind(value) && value >= min && value <= max) return value;
    this.fault(field, shown(value), allowed);
    return usual;
  }

  #take(field: string): unknown {
    this.#known.add(field);
    return this.#values.get(field);
  }
}

function shown(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return JSON.stringify(value)?.slice(0, 100) ?? typeof value;
}
