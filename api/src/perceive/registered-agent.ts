import type { AgentKind, AgentRef } from '@agent-reach/sdk/protocol';
import type { AgentRecord, Domain } from './model.js';
import type { StreamEvent } from './streams/stream-subject.js';

/** An agent as it is registered, whether or not it can be reached. */
export interface RegisteredAgent {
  readonly agent: AgentRef;
  readonly namespace: string;
  readonly type: string;
  readonly kind: AgentKind;
  readonly description: string;
  readonly owner: string;
  readonly paused: boolean;
  /** The latest registered first. */
  readonly versions: readonly {
    readonly version: string;
    readonly domain: Domain;
    /** Their names. */
    readonly capabilities: readonly string[];
  }[];
  /** It was deleted: no snapshot has it. */
  readonly deleted: boolean;
}

/** Which agents; what is given must all match. */
export interface RegistryFilter {
  readonly namespace?: string | undefined;
  readonly agent?: AgentRef | undefined;
  readonly type?: string | undefined;
  /** Of one of its versions, by name. */
  readonly capability?: string | undefined;
}

/** What carries agents in the stream of what is registered. */
export type RegistryState =
  | { readonly kind: 'Snapshot'; readonly position: string; readonly agents: readonly RegisteredAgent[] }
  | { readonly kind: 'Change'; readonly position: string; readonly agent: RegisteredAgent };

export type RegistryEvent = StreamEvent<RegistryState>;

export function registeredAgent({
  ref,
  namespace,
  type,
  kind,
  description,
  owner,
  settings,
  versions,
}: AgentRecord): RegisteredAgent {
  return {
    agent: ref,
    namespace,
    type,
    kind,
    description,
    owner,
    paused: settings.paused,
    versions: [...versions.values()]
      .sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
      .map(({ version, domain, capabilities }) => ({
        version,
        domain,
        capabilities: capabilities.map((each) => each.name),
      })),
    deleted: false,
  };
}
