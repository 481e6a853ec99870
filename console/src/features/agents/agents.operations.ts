import { operation } from '@/graphql/operation';
import {
  type AgentKind,
  type Connection,
  type Health,
  type Lifecycle,
  PAGE_INFO,
  type PageVariables,
} from '@/graphql/types';

export interface AgentRow {
  readonly ref: string;
  readonly id: string;
  readonly namespace: string;
  readonly type: string;
  readonly kind: AgentKind;
  readonly description: string;
  readonly owner: string;
  readonly paused: boolean;
  readonly health: Health;
  readonly healthReason: string;
  readonly instanceCount: number;
  readonly readyCount: number;
  readonly inFlight: number;
  readonly instances: readonly { readonly lifecycle: Lifecycle; readonly utilisation: number | null }[];
}

export interface AgentFilter {
  readonly search?: string;
  readonly health?: readonly Health[];
  readonly type?: string;
  readonly kind?: AgentKind;
  readonly capability?: string;
}

export const AGENTS = operation<
  { agents: Connection<AgentRow> },
  { namespace: string | null; filter: AgentFilter } & PageVariables
>(`
  query Agents($namespace: String, $filter: AgentFilter, $first: Int, $after: String, $last: Int, $before: String) {
    agents(namespace: $namespace, filter: $filter, first: $first, after: $after, last: $last, before: $before) {
      nodes {
        ref id namespace type kind description owner paused health healthReason instanceCount readyCount inFlight
        instances { lifecycle utilisation }
      }
      ${PAGE_INFO}
    }
  }
`);

export interface CreateAgentInput {
  readonly namespace: string;
  readonly id: string;
  readonly type: string;
  readonly kind: AgentKind;
  readonly description: string;
  readonly owner: string;
}

export const CREATE_AGENT = operation<{ createAgent: { ref: string } }, { input: CreateAgentInput }>(`
  mutation CreateAgent($input: CreateAgentInput!) { createAgent(input: $input) { ref } }
`);

export interface RegisteredEndpoint {
  readonly ref: string;
  readonly agent: string;
  readonly lifecycle: Lifecycle;
  readonly reason: string;
}

export const REGISTER_ENDPOINT = operation<
  { registerEndpoint: RegisteredEndpoint },
  { agent: string; descriptor: Readonly<Record<string, unknown>> }
>(`
  mutation RegisterEndpoint($agent: String!, $descriptor: JSON!) {
    registerEndpoint(agent: $agent, descriptor: $descriptor) { ref agent lifecycle reason }
  }
`);
