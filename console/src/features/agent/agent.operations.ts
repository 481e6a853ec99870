import { TOKEN_FIELDS, type TokenRow } from '@/features/tokens/tokens.operations';
import { operation } from '@/graphql/operation';
import type { AgentKind, CapabilityMode, Domain, Health, Lifecycle } from '@/graphql/types';

export interface InstanceRow {
  readonly ref: string;
  readonly name: string;
  readonly incarnation: string;
  readonly version: string;
  readonly zone: string;
  readonly domain: string;
  readonly lifecycle: Lifecycle;
  readonly health: Health;
  readonly reason: string;
  readonly changedAt: string;
  readonly inFlight: number;
  readonly maxConcurrency: number;
  readonly maxQueue: number;
  readonly queueDepth: number;
  readonly tasks: number;
  readonly maxTasks: number;
  readonly utilisation: number | null;
  readonly meanLatencyMs: number | null;
  readonly successRate: number | null;
  readonly quality: number;
  readonly breaker: string;
  readonly breakerReason: string;
  readonly lease: string;
  readonly leaseIntervalMs: number;
  readonly leaseTtlMs: number;
  /** Since when another live process wants its name. */
  readonly contestedSince: string | null;
  readonly lastHeardMs: number | null;
  readonly transport: string;
  readonly endpoint: HttpEndpoint | null;
}

export interface HttpEndpoint {
  readonly url: string;
  readonly healthPath: string;
  readonly probeIntervalMs: number;
  readonly failedProbes: number;
  readonly probeFailure: string;
}

/** One step of an instance; `from` is null when it began. */
export interface InstanceTransition {
  readonly at: string;
  readonly instance: string;
  readonly from: Lifecycle | Health | null;
  readonly to: Lifecycle | Health;
  readonly reason: string;
  readonly actor: string;
}

export interface ChecklistItem {
  readonly item:
    | 'CREDENTIAL'
    | 'CONNECTED'
    | 'DECLARED'
    | 'DESCRIBED'
    | 'VERIFIED'
    | 'READY'
    | 'IN_SERVICE'
    | 'IN_PRODUCTION'
    | 'PERMITTED'
    | 'CALLED';
  readonly done: boolean;
  readonly advice: boolean;
  readonly text: string;
  readonly fix: { readonly label: string; readonly path: string } | null;
}

export interface CapabilityDetail {
  readonly id: string;
  readonly agentVersion: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly description: string;
  readonly inputSchema: unknown;
  readonly outputSchema: unknown;
  readonly tags: readonly string[];
  readonly idempotent: boolean;
  readonly mode: CapabilityMode;
  readonly cacheTtlMs: number;
  readonly callerIndependent: boolean;
  readonly sensitive: readonly string[];
  readonly headers: readonly string[];
}

export interface AgentVersion {
  readonly id: string;
  readonly version: string;
  readonly domain: Domain;
  readonly createdAt: string;
  /** Its trial as a canary, the one that runs or the last one. */
  readonly canary: VersionCanary | null;
}

export interface VersionCanary {
  readonly state: 'ON_TRIAL' | 'PROMOTED' | 'RETURNED' | 'RELEASED' | 'STOPPED';
  readonly reason: string;
  readonly endedAt: string | null;
  readonly promoteAt: string | null;
}

export interface AgentDetail {
  readonly ref: string;
  readonly id: string;
  readonly namespace: string;
  readonly type: string;
  readonly kind: AgentKind;
  readonly description: string;
  readonly owner: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly labelOverrides: Readonly<Record<string, string>>;
  readonly weight: number;
  readonly paused: boolean;
  readonly roles: readonly string[];
  readonly health: Health;
  readonly healthReason: string;
  readonly instanceCount: number;
  readonly readyCount: number;
  readonly inFlight: number;
  readonly instances: readonly InstanceRow[];
  readonly history: readonly InstanceTransition[];
  readonly versions: readonly AgentVersion[];
  readonly capabilities: readonly CapabilityDetail[];
  readonly version: number;
  readonly createdAt: string;
}

const SETTINGS_FIELDS = 'ref weight roles labelOverrides version';

export const AGENT = operation<{ agent: AgentDetail | null }, { ref: string }>(`
  query Agent($ref: String!) {
    agent(ref: $ref) {
      ref id namespace type kind description owner labels labelOverrides weight paused roles version
      createdAt
      health healthReason instanceCount readyCount inFlight
      instances {
        ref name incarnation version zone domain lifecycle health reason changedAt inFlight maxConcurrency maxQueue
        queueDepth tasks maxTasks utilisation meanLatencyMs successRate quality breaker breakerReason
        lease leaseIntervalMs leaseTtlMs contestedSince lastHeardMs transport
        endpoint { url healthPath probeIntervalMs failedProbes probeFailure }
      }
      history { at instance from to reason actor }
      versions { id version domain createdAt canary { state reason endedAt promoteAt } }
      capabilities {
        id agentVersion name aliases description inputSchema outputSchema tags idempotent mode cacheTtlMs callerIndependent
        sensitive headers
      }
    }
  }
`);

export const AGENT_CHECKLIST = operation<
  { agent: { readonly checklist: readonly ChecklistItem[] } | null },
  { ref: string }
>(`
  query AgentChecklist($ref: String!) {
    agent(ref: $ref) { checklist { item done advice text fix { label path } } }
  }
`);

export const AGENT_TOKENS = operation<{ agent: { tokens: readonly TokenRow[] } | null }, { ref: string }>(`
  query AgentTokens($ref: String!) { agent(ref: $ref) { tokens { ${TOKEN_FIELDS} } } }
`);

export interface AgentSettings {
  readonly ref: string;
  readonly weight: number;
  readonly roles: readonly string[];
  readonly labelOverrides: Readonly<Record<string, string>>;
  readonly version: number;
}

/** Labels are merged into those there are; null takes one away. */
export interface AgentPatch {
  readonly weight: number;
  readonly roles: readonly string[];
  readonly labelOverrides: Readonly<Record<string, string | null>>;
}

export const UPDATE_AGENT = operation<
  { updateAgent: AgentSettings },
  { ref: string; patch: AgentPatch; expectedVersion: number }
>(`
  mutation UpdateAgent($ref: String!, $patch: AgentPatch!, $expectedVersion: Int!) {
    updateAgent(ref: $ref, patch: $patch, expectedVersion: $expectedVersion) { ${SETTINGS_FIELDS} }
  }
`);

export const DELETE_AGENT = operation<{ deleteAgent: { ref: string } }, { ref: string }>(`
  mutation DeleteAgent($ref: String!) { deleteAgent(ref: $ref) { ref } }
`);

export const SET_VERSION_DOMAIN = operation<
  { setVersionDomain: { ref: string } },
  { ref: string; version: string; domain: Domain; expectedDomain: Domain }
>(`
  mutation SetVersionDomain($ref: String!, $version: String!, $domain: Domain!, $expectedDomain: Domain) {
    setVersionDomain(ref: $ref, version: $version, domain: $domain, expectedDomain: $expectedDomain) { ref }
  }
`);

type Reasoned<Name extends string> = { readonly [key in Name]: string } & { readonly reason?: string | null };

export const DRAIN_INSTANCE = operation<unknown, Reasoned<'instance'>>(`
  mutation DrainInstance($instance: String!, $reason: String) { drainInstance(instance: $instance, reason: $reason) { ref } }
`);
export const PAUSE_INSTANCE = operation<unknown, Reasoned<'instance'>>(`
  mutation PauseInstance($instance: String!, $reason: String) { pauseInstance(instance: $instance, reason: $reason) { ref } }
`);
export const RESUME_INSTANCE = operation<unknown, Reasoned<'instance'>>(`
  mutation ResumeInstance($instance: String!) { resumeInstance(instance: $instance) { ref } }
`);
export const DRAIN_AGENT = operation<unknown, Reasoned<'ref'>>(`
  mutation DrainAgent($ref: String!, $reason: String) { drainAgent(ref: $ref, reason: $reason) { ref } }
`);
export const PAUSE_AGENT = operation<unknown, Reasoned<'ref'>>(`
  mutation PauseAgent($ref: String!, $reason: String) { pauseAgent(ref: $ref, reason: $reason) { ref } }
`);
export const RESUME_AGENT = operation<unknown, Reasoned<'ref'>>(`
  mutation ResumeAgent($ref: String!) { resumeAgent(ref: $ref) { ref } }
`);
