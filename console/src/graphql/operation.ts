/** A GraphQL document together with the types of its answer and its variables. */
export interface Operation<Data, Variables> {
  readonly text: string;
  /** Never set: it only carries the types. */
  readonly types?: (variables: Variables) => Data;
}

/** Names the types of a document once, beside its text. */
export function operation<Data, Variables = Record<string, never>>(text: string): Operation<Data, Variables> {
  return { text };
}

export type DataOf<Op> = Op extends Operation<infer Data, never> ? Data : never;
