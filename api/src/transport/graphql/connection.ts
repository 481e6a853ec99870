import { ArgsType, type ClassType, Field, Int, ObjectType } from 'type-graphql';

@ObjectType('PageInfo', { description: 'Where a page lies in its list.' })
export class PageInfo {
  @Field(() => Boolean, { description: 'Whether more follow after this page.' })
  hasNextPage: boolean;

  @Field(() => Boolean, { description: 'Whether there are some before this page.' })
  hasPreviousPage: boolean;

  @Field(() => String, { nullable: true, description: 'Cursor of the first item; null when the page is empty.' })
  startCursor: string | null;

  @Field(() => String, { nullable: true, description: 'Cursor of the last item; null when the page is empty.' })
  endCursor: string | null;
}

@ArgsType()
export class ConnectionArgs {
  @Field(() => Int, { nullable: true, description: 'How many from the start, or after `after`: 1 to 200, default 50.' })
  first?: number | null;

  @Field(() => String, { nullable: true, description: 'Cursor after which the page starts.' })
  after?: string | null;

  @Field(() => Int, { nullable: true, description: 'How many from the end, or before `before`: 1 to 200.' })
  last?: number | null;

  @Field(() => String, { nullable: true, description: 'Cursor before which the page ends.' })
  before?: string | null;
}

/** An item of a list with its cursor. */
export interface Edge<Node> {
  readonly cursor: string;
  readonly node: Node;
}

/** One page of a list. */
export interface Connection<Node> {
  readonly edges: readonly Edge<Node>[];
  readonly nodes: readonly Node[];
  readonly pageInfo: PageInfo;
}

/** Declares `<name>Connection` and `<name>Edge` for a node type. */
export function connectionOf<Node extends object>(node: ClassType<Node>, name: string): ClassType<Connection<Node>> {
  @ObjectType(`${name}Edge`, { description: `An item of a list of type ${name}, with its cursor.` })
  class EdgeType implements Edge<Node> {
    @Field(() => String, { description: 'Opaque; what `after` and `before` take.' })
    cursor: string;

    @Field(() => node, { description: 'The item.' })
    node: Node;
  }

  @ObjectType(`${name}Connection`, { description: `One page of a list of type ${name}.` })
  class ConnectionType implements Connection<Node> {
    @Field(() => [EdgeType], { description: 'The items with their cursors.' })
    edges: readonly Edge<Node>[];

    @Field(() => [node], { description: 'The items alone.' })
    nodes: readonly Node[];

    @Field(() => PageInfo, { description: 'Where this page lies in the list.' })
    pageInfo: PageInfo;
  }
  return ConnectionType;
}
