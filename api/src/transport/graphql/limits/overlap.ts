import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** What makes validation slow: it compares all fields that come to stand under the same name in the answer. */
export interface Overlap {
  /** Fields of all definitions, fragments followed. */
  readonly fields: number;
  /** Pairs of fields at the same place of an answer. */
  readonly comparisons: number;
  /** Fragment spreads, which validation compares pair by pair, too. */
  readonly spreads: number;
}

/**
 * Counts what validation would have to compare, over every operation and fragment of the document, used or not. Stops
 * counting fields at `maxFields`, because fragments can make a small document large without end.
 */
export function overlap(document: DocumentNode, maxFields: number): Overlap {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  const counter = new Counter(fragments, maxFields);
  for (const node of document.definitions) {
    if (node.kind === Kind.OPERATION_DEFINITION || node.kind === Kind.FRAGMENT_DEFINITION) counter.definition(node);
  }
  return counter;
}

class Counter implements Overlap {
  fields = 0;
  comparisons = 0;
  spreads = 0;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #maxFields: number;

  constructor(fragments: ReadonlyMap<string, FragmentDefinitionNode>, maxFields: number) {
    this.#fragments = fragments;
    this.#maxFields = maxFields;
  }

  definition(node: OperationDefinitionNode | FragmentDefinitionNode): void {
    this.#spreadsIn(node.selectionSet);
    this.#place([node.selectionSet]);
  }

  /** One place of the answer: all selections that meet there. */
  #place(sets: readonly SelectionSetNode[]): void {
    const byName = new Map<string, FieldNode[]>();
    const entered = new Set<string>();
    for (const set of sets) this.#collect(set, byName, entered);
    for (const nodes of byName.values()) {
      if (this.fields > this.#maxFields) return;
      this.comparisons += (nodes.length * (nodes.length - 1)) / 2;
      const below = nodes.flatMap(({ selectionSet }) => (selectionSet === undefined ? [] : [selectionSet]));
      if (below.length > 0) this.#place(below);
    }
  }

  #collect(set: SelectionSetNode, byName: Map<string, FieldNode[]>, entered: Set<string>): void {
    for (const node of set.selections) {
      if (this.fields > this.#maxFields) return;
      if (node.kind === Kind.FIELD) {
        this.fields += 1;
        const name = node.alias?.value ?? node.name.value;
        const known = byName.get(name);
        if (known === undefined) byName.set(name, [node]);
        else known.push(node);
      } else if (node.kind === Kind.INLINE_FRAGMENT) {
        this.#collect(node.selectionSet, byName, entered);
      } else {
        const name = node.name.value;
        const fragment = this.#fragments.get(name);
        if (fragment === undefined || entered.has(name)) continue;
        entered.add(name);
        this.#collect(fragment.selectionSet, byName, entered);
      }
    }
  }

  #spreadsIn(set: SelectionSetNode): void {
    for (const node of set.selections) {
      if (node.kind === Kind.FRAGMENT_SPREAD) this.spreads += 1;
      else if (node.selectionSet !== undefined) this.#spreadsIn(node.selectionSet);
    }
  }
}
