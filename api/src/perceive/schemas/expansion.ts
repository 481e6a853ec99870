import { isObject, type JsonSchema } from '@agent-reach/sdk/protocol';
import { SchemaFault } from './schema-fault.js';

/** Subschemas that one value may be checked against, references followed. */
const MAX_EXPANSION = 10_000;

/** Keywords whose subschemas apply to the same value. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'];
/** Keywords that hold subschemas by name; those of `dependentSchemas` apply to the same value. */
const BY_NAME = ['properties', 'patternProperties', 'dependentSchemas'];
/** Keywords whose subschemas apply to parts of the value that have no name. */
const TO_PARTS = [
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'items',
  'prefixItems',
  'contains',
  'unevaluatedItems',
];

/**
 * Bounds what checking a value can cost, by following every reference as a validator would. A chain of definitions that
 * each apply the next twice is small to write and takes 2^n steps to check; a schema that applies itself to the same
 * value takes for ever; one that applies itself twice to a part takes 2^depth. Throws SchemaFault.
 *
 * @returns how much of it can fail for one part of a value, at least 1
 */
export function boundExpansion(schema: JsonSchema): number {
  const expansion = new Expansion(schema);
  expansion.enter(schema, '', new Map());
  return expansion.assertions + 1;
}

/** Definitions on the way from the root, each with the place (in the value) at which it was entered. */
type Open = ReadonlyMap<unknown, string>;

class Expansion {
  assertions = 0;
  #visited = 0;
  readonly #recursions = new Set<string>();
  readonly #names = new Map<unknown, number>();

  constructor(private readonly root: JsonSchema) {}

  enter(node: unknown, place: string, open: Open): void {
    if (!isObject(node)) return;
    if (++this.#visited > MAX_EXPANSION) {
      throw new SchemaFault('', `applies more than ${MAX_EXPANSION} subschemas, references followed`);
    }
    this.assertions += assertionsOf(node);
    if (typeof node.$ref === 'string') this.#follow(node.$ref, place, open);
    for (const keyword of IN_PLACE) this.#each(node[keyword], (child) => this.enter(child, place, open));
    for (const keyword of BY_NAME) {
      const children = node[keyword];
      if (!isObject(children)) continue;
      for (const [name, child] of Object.entries(children)) {
        this.enter(child, keyword === 'dependentSchemas' ? place : `${place}/${name}`, open);
      }
    }
    for (const keyword of TO_PARTS) this.#each(node[keyword], (child) => this.enter(child, `${place}/*`, open));
  }

  #follow(ref: string, place: string, open: Open): void {
    const target = this.#resolve(ref);
    const entered = open.get(target);
    if (entered === place) throw new SchemaFault('', `applies ${ref} to the same value again, without end`);
    if (entered === undefined) return this.enter(target, place, new Map(open).set(target, place));
    // Recursion into a part of the value ends with the value; but only once per part, else it doubles at each level.
    const recursion = `${this.#nameOf(target)} ${place}`;
    if (this.#recursions.has(recursion)) {
      throw new SchemaFault('', `applies ${ref} more than once to the same part of a value`);
    }
    this.#recursions.add(recursion);
  }

  #resolve(ref: string): unknown {
    if (ref === '#') return this.root;
    let node: unknown = this.root;
    for (const part of ref.slice(2).split('/')) {
      const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
      node = (isObject(node) || Array.isArray(node)) && Object.hasOwn(node, name) ? Reflect.get(node, name) : undefined;
    }
    if (node === undefined) throw new SchemaFault('', `refers to ${ref}, which does not exist`);
    return node;
  }

  #each(value: unknown, visit: (child: unknown) => void): void {
    if (Array.isArray(value)) value.forEach(visit);
    else visit(value);
  }

  #nameOf(target: unknown): number {
    const known = this.#names.get(target) ?? this.#names.size;
    this.#names.set(target, known);
    return known;
  }
}

/** Each keyword can fail once for a part of a value, those that list names once for each name. */
function assertionsOf(node: Readonly<Record<string, unknown>>): number {
  let count = Object.keys(node).length;
  if (Array.isArray(node.required)) count += node.required.length;
  if (!isObject(node.dependentRequired)) return count;
  for (const names of Object.values(node.dependentRequired)) if (Array.isArray(names)) count += names.length;
  return count;
}
