/** A JSON Schema 2020-12 document. */
export type JsonSchema = boolean | { readonly [keyword: string]: unknown };

export type CapabilityMode = 'SYNC' | 'TASK';
export type AgentKind = 'AGENT' | 'TOOL' | 'API' | 'DATASOURCE';
export const AGENT_KINDS: readonly AgentKind[] = ['AGENT', 'TOOL', 'API', 'DATASOURCE'];

/** What an agent version can do, as its author declares it. */
export interface CapabilityDeclaration {
  readonly name: string;
  /** Other names that a call may use; translated to `name` before the permission check. */
  readonly aliases?: readonly string[];
  /** When to use it and what it answers; at least 20 characters. */
  readonly description: string;
  /** Schema of the parameters: an object schema. Silent about additional properties means closed. */
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  /** At most 16. */
  readonly tags?: readonly string[];
  /** Whether executing it twice is the same as executing it once. Absent means false. */
  readonly idempotent?: boolean;
  readonly mode?: CapabilityMode;
  /** How long an answer may be given again to equal parameters, in ms; only for what is idempotent. Absent or 0: never. */
  readonly cacheTtlMs?: number;
  /** The answer doesn't depend on who asks, so that callers may share it. Absent means false. */
  readonly callerIndependent?: boolean;
  /** Names of parameters that hold secrets and that this capability asks for. */
  readonly sensitive?: readonly string[];
  /** Extra headers that may be passed on to it, lower case. */
  readonly headers?: readonly string[];
}

/** Limits of a declaration. */
export const CAPABILITY_LIMITS = {
  maxCapabilities: 256,
  maxTags: 16,
  maxAliases: 16,
  minDescription: 20,
  maxDescription: 2000,
  maxSchemaBytes: 65_536,
  maxSchemaDepth: 32,
} as const;
