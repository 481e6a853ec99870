import { operation } from '@/graphql/operation';

/** What a test needs to know of an agent: its instances as they are now, and what they can do. */
export interface AgentSituation {
  readonly ref: string;
  readonly type: string;
  readonly weight: number;
  readonly instances: readonly InstanceSituation[];
  readonly capabilities: readonly {
    readonly agentVersion: string;
    readonly name: string;
    readonly aliases: readonly string[];
    readonly tags: readonly string[];
    readonly mode: string;
  }[];
}

export interface InstanceSituation {
  readonly ref: string;
  readonly version: string;
  readonly zone: string;
  readonly domain: string;
  readonly lifecycle: string;
  readonly health: string;
  readonly reason: string;
  readonly inFlight: number;
  readonly tasks: number;
  readonly queueDepth: number;
  readonly utilisation: number | null;
  readonly meanLatencyMs: number | null;
  readonly successRate: number | null;
  readonly ackOverdue: boolean;
  readonly maxConcurrency: number;
  readonly maxQueue: number;
  readonly maxTasks: number;
  readonly breaker: string;
  readonly breakerReason: string;
}

/** An agent, and whether the caller may call it. */
export const SITUATION = operation<
  { readonly agent: AgentSituation | null; readonly checkPermission: { readonly allowed: boolean } },
  { ref: string; target: string; caller: string; capability: string }
>(`
  query Situation($ref: String!, $target: String!, $caller: String!, $capability: String!) {
    agent(ref: $ref) {
      ref type weight
      instances {
        ref version zone domain lifecycle health reason inFlight tasks queueDepth utilisation meanLatencyMs
        successRate ackOverdue maxConcurrency maxQueue maxTasks breaker breakerReason
      }
      capabilities { agentVersion name aliases tags mode }
    }
    checkPermission(caller: $caller, target: $target, capability: $capability) { allowed }
  }
`);
