import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { DEFAULT_PAGE } from '../paging.js';

/** How large an operation is, fragments followed. */
export interface Measure {
  readonly depth: number;
  readonly introspectionDepth: number;
  readonly aliases: number;
  readonly rootFields: number;
  readonly cost: number;
}

/** Items that a list without a page size is taken to have. */
const USUAL_LIST = 5;
/** Types that a field with a page size answers: their lists are as long as it says. */
const PAGES = /Connection$|^Topology$/;
const NOTHING: Measure = { depth: 0, introspectionDepth: 0, aliases: 0, rootFields: 0, cost: 0 };

/**
 * Measures an operation of a document that was parsed and not yet validated: unknown fields count like leaves, and a
 * fragment that leads back to itself ends there. Linear in the document, because each fragment is measured once.
 */
export function measure(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Measure {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const node of document.definitions)
    if (node.kind === Kind.FRAGMENT_DEFINITION) fragments.set(node.name.value, node);
  return new Measurer(schema, fragments, operation, variables).selections(
    operation.selectionSet,
    schema.getRootType(operation.operation) ?? undefined,
  );
}

class Measurer {
  readonly #schema: GraphQLSchema;
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #operation: OperationDefinitionNode;
  readonly #variables: Readonly<Record<string, unknown>>;
  readonly #known = new Map<string, Measure>();

  constructor(
    schema: GraphQLSchema,
    fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    operation: OperationDefinitionNode,
    variables: Readonly<Record<string, unknown>>,
  ) {
    this.#schema = schema;
    this.#fragments = fragments;
    this.#operation = operation;
    this.#variables = variables;
  }

  selections(set: SelectionSetNode | undefined, parent: GraphQLNamedType | undefined): Measure {
    let sum = NOTHING;
    for (const node of set?.selections ?? []) {
      switch (node.kind) {
        case Kind.FIELD:
          sum = add(sum, this.#field(node, parent));
          break;
        case Kind.INLINE_FRAGMENT: {
          const condition = node.typeCondition?.name.value;
          const type = condition === undefined ? parent : this.#schema.getType(condition);
          sum = add(sum, this.selections(node.selectionSet, type));
          break;
        }
        case Kind.FRAGMENT_SPREAD:
          sum = add(sum, this.#fragment(node.name.value));
          break;
      }
    }
    return sum;
  }

  #fragment(name: string): Measure {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const node = this.#fragments.get(name);
    if (node === undefined) return NOTHING;
    // Stands while the fragment itself is measured, so that a circle ends.
    this.#known.set(name, NOTHING);
    const found = this.selections(node.selectionSet, this.#schema.getType(node.typeCondition.name.value));
    this.#known.set(name, found);
    return found;
  }

  #field(node: FieldNode, parent: GraphQLNamedType | undefined): Measure {
    const name = node.name.value;
    const aliases = node.alias === undefined ? 0 : 1;
    const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name] : undefined;
    const inner = this.selections(node.selectionSet, field === undefined ? undefined : getNamedType(field.type));
    if (name === '__schema' || name === '__type') {
      return {
        depth: 1,
        introspectionDepth: 1 + inner.depth,
        aliases: aliases + inner.aliases,
        rootFields: 1,
        cost: 1,
      };
    }
    return {
      depth: 1 + inner.depth,
      introspectionDepth: inner.introspectionDepth,
      aliases: aliases + inner.aliases,
      rootFields: 1,
      cost: 1 + this.#times(node, field, parent) * inner.cost,
    };
  }

  /** How many times what is below a field can come. */
  #times(
    node: FieldNode,
    field: GraphQLField<unknown, unknown> | undefined,
    parent: GraphQLNamedType | undefined,
  ): number {
    if (field === undefined) return 1;
    if (field.args.some((arg) => arg.name === 'first')) {
      return this.#number(node, 'first') ?? this.#number(node, 'last') ?? DEFAULT_PAGE;
    }
    const type = isNonNullType(field.type) ? field.type.ofType : field.type;
    // The lists of a page were counted with the page.
    return isListType(type) && !(parent !== undefined && PAGES.test(parent.name)) ? USUAL_LIST : 1;
  }

  /** The value of an argument, if it is a number of items; what is no such number is refused where it is used. */
  #number(node: FieldNode, name: string): number | undefined {
    const value = node.arguments?.find((argument) => argument.name.value === name)?.value;
    if (value === undefined) return undefined;
    if (value.kind === Kind.INT) return positive(Number(value.value));
    if (value.kind !== Kind.VARIABLE) return undefined;
    const variable = value.name.value;
    if (Object.hasOwn(this.#variables, variable)) return positive(this.#variables[variable]);
    const definition = this.#operation.variableDefinitions?.find((each) => each.variable.name.value === variable);
    return definition?.defaultValue?.kind === Kind.INT ? positive(Number(definition.defaultValue.value)) : undefined;
  }
}

function positive(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 1 ? value : undefined;
}

function add(a: Measure, b: Measure): Measure {
  return {
    depth: Math.max(a.depth, b.depth),
    introspectionDepth: Math.max(a.introspectionDepth, b.introspectionDepth),
    aliases: a.aliases + b.aliases,
    rootFields: a.rootFields + b.rootFields,
    cost: a.cost + b.cost,
  };
}
