/** The parts of the API's types that the console reads, named as the schema names them. */
import type { AgentKind, CapabilityMode, Health, Lifecycle, TaskState } from '@agent-reach/sdk/protocol';

export type { AgentKind, CapabilityMode, Health, Lifecycle, TaskState };

export type Domain = 'CANARY' | 'STAGING' | 'PRODUCTION';

export interface PageInfo {
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly startCursor: string | null;
  readonly endCursor: string | null;
}

export interface Connection<Node> {
  readonly nodes: readonly Node[];
  readonly pageInfo: PageInfo;
}

export const PAGE_INFO = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';

/** Which page of a connection: forwards after a cursor, or backwards before one. */
export type PageVariables =
  | { readonly first: number; readonly after: string | null }
  | { readonly last: number; readonly before: string };
