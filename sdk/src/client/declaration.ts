import { hostname } from 'node:os';
import {
  AGENT_KINDS,
  type AgentKind,
  CAPABILITY_LIMITS,
  type CapabilityDeclaration,
  capabilityNameFault,
  idFault,
  type JsonSchema,
  type LeaseChoice,
  leaseFaults,
  MAX_ID_LENGTH,
  type RegisterFrame,
} from '../protocol/index.js';
import { Faults, shown } from './faults.js';
import type { RecordOption } from './record/open-record.js';

/** Who an agent is, and how this copy of it wants to be treated. */
export interface AgentOptions {
  /** The agent's id within the namespace; may be left out when the token is bound to one agent. */
  readonly id?: string;
  /** What kind of work it does, such as `commerce.order`. */
  readonly type: string;
  /** Version of the agent's code, such as `1.4.2`. */
  readonly version: string;
  /** What it is for, for people. */
  readonly description: string;
  /** Stable name of this copy, unique within the agent; default: host name and process id. */
  readonly instance?: string;
  readonly kind?: AgentKind;
  readonly owner?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Where this copy runs; callers of the same zone prefer it. */
  readonly zone?: string;
  /**
   * How often it reports and how long it is believed without; default REALTIME (5 s, 15 s). Times of your own: an interval
   * of 1 s to 10 min and a TTL of at least three intervals and at most 1 h; the server may ask for a longer TTL.
   */
  readonly lease?: LeaseChoice;
  /** Calls at once; default 100. */
  readonly maxConcurrency?: number;
  /** Calls beyond that which wait in this process; default 0: they are refused as BUSY and go to another instance. */
  readonly maxQueue?: number;
  /** Tasks at once, beside the calls; default 100. Beyond that they are refused as BUSY and go to another instance. */
  readonly maxTasks?: number;
  /**
   * Where this instance remembers for 24 hours which requests it executed, so that none that isn't idempotent is executed
   * twice; default a file in `.agent-reach` of the working directory. `{ directory }` puts the file elsewhere, a
   * `RequestRecord` of your own into a database, and `false` keeps it in memory only. A stable `instance` name is what a
   * restarted process finds its file by.
   */
  readonly record?: RecordOption;
  /** How long `stop` lets running handlers finish, in ms; default 30,000. */
  readonly drainTimeoutMs?: number;
  /** An operator asked this instance to drain. The server sends no new calls; stop the process here if it should end. */
  readonly onDrain?: (reason: string | undefined) => void;
}

/** What a handler can do. */
export interface HandleOptions {
  /** When to use it and what it answers; 20 to 2,000 characters. */
  readonly description: string;
  /** Schema of the parameters (JSON Schema 2020-12, an object). Parameters that it does not name are refused. */
  readonly input: JsonSchema;
  readonly output?: JsonSchema;
  /** Whether executing it twice is the same as once. Only then does the server repeat it by itself. Default false. */
  readonly idempotent?: boolean;
  readonly aliases?: readonly string[];
  readonly tags?: readonly string[];
  /** TASK: the caller gets a task at once, and the result when the handler is done. Default SYNC. */
  readonly mode?: CapabilityDeclaration['mode'];
  /** How long an answer may be given again to equal parameters, in ms; only for what is idempotent. Default: never. */
  readonly cacheTtlMs?: number;
  /** The answer does not depend on who asks, so that callers may share a cached one. Default false. */
  readonly callerIndependent?: boolean;
  /** Names of parameters that hold secrets and that this capability asks for. */
  readonly sensitive?: readonly string[];
  /** Extra headers that may be passed on to the handler, lower case. */
  readonly headers?: readonly string[];
}

export type Registration = Omit<RegisterFrame, 'id' | 'capabilities'> & {
  readonly maxConcurrency: number;
  readonly maxQueue: number;
  readonly maxTasks: number;
  readonly drainTimeoutMs: number;
};

const VERSION = /^[A-Za-z0-9][A-Za-z0-9.+-]{0,63}$/;

/** Checks the options of an agent and turns them into its registration. Throws INVALID_INPUT with all faults. */
export function registrationOf(options: AgentOptions): Registration {
  const faults = new Faults();
  const instance = options.instance ?? defaultInstance(hostname(), process.pid);
  if (options.id !== undefined) faults.add(idFault('id', options.id));
  faults.add(idFault('instance', instance));
  faults.add(idFault('type', options.type));
  if (typeof options.version !== 'string' || !VERSION.test(options.version))
    faults.add({ path: 'version', got: shown(options.version), allowed: '1 to 64 letters, digits, and . + -' });
  faults.text('description', options.description, 1, CAPABILITY_LIMITS.maxDescription);
  if (options.kind !== undefined) faults.oneOf('kind', options.kind, AGENT_KINDS);
  if (options.lease !== undefined) for (const fault of leaseFaults(options.lease)) faults.add(fault);
  if (options.zone !== undefined) faults.add(idFault('zone', options.zone));
  if (options.labels !== undefined) faults.object('labels', options.labels);
  const maxConcurrency = options.maxConcurrency ?? 100;
  const maxQueue = options.maxQueue ?? 0;
  const maxTasks = options.maxTasks ?? 100;
  const drainTimeoutMs = options.drainTimeoutMs ?? 30_000;
  faults.integer('maxConcurrency', maxConcurrency, 1, 100_000);
  faults.integer('maxQueue', maxQueue, 0, 100_000);
  faults.integer('maxTasks', maxTasks, 1, 100_000);
  if (options.record !== undefined && !isRecord(options.record))
    faults.add({ path: 'record', got: shown(options.record), allowed: 'a RequestRecord, { directory }, or false' });
  faults.integer('drainTimeoutMs', drainTimeoutMs, 0, 3_600_000);
  faults.raise('agent');
  const { id, type, onDrain: _, record: __, ...rest } = options;
  return {
    ...rest,
    type: 'register',
    ...(id === undefined ? {} : { agent: id }),
    agentType: type,
    instance,
    maxConcurrency,
    maxQueue,
    maxTasks,
    drainTimeoutMs,
  };
}

/** Checks what a handler declares and turns it into a capability. Throws INVALID_INPUT with all faults. */
export function capabilityOf(name: string, options: HandleOptions, handler: unknown): CapabilityDeclaration {
  const faults = new Faults();
  faults.add(capabilityNameFault('name', name));
  const { minDescription, maxDescription, maxTags, maxAliases } = CAPABILITY_LIMITS;
  faults.text('description', options.description, minDescription, maxDescription);
  checkSchema(faults, 'input', options.input);
  if (options.output !== undefined) checkSchema(faults, 'output', options.output);
  options.aliases?.forEach((alias, index) => {
    faults.add(capabilityNameFault(`aliases.${index}`, alias));
  });
  checkCount(faults, 'aliases', options.aliases, maxAliases);
  checkCount(faults, 'tags', options.tags, maxTags);
  if (options.mode !== undefined) faults.oneOf('mode', options.mode, ['SYNC', 'TASK']);
  if (options.callerIndependent !== undefined && typeof options.callerIndependent !== 'boolean')
    faults.add({ path: 'callerIndependent', got: shown(options.callerIndependent), allowed: 'true or false' });
  if (options.cacheTtlMs !== undefined) faults.integer('cacheTtlMs', options.cacheTtlMs, 0, 86_400_000);
  if (typeof handler !== 'function') faults.add({ path: 'handler', got: shown(handler), allowed: 'a function' });
  faults.raise(`handle ${shown(name)}`);
  const { input, output, ...rest } = options;
  return { ...rest, name, inputSchema: input, ...(output === undefined ? {} : { outputSchema: output }) };
}

/** Host name and process id as an instance id. */
export function defaultInstance(host: string, pid: number): string {
  const suffix = `-${pid}`;
  const name = host
    .toLowerCase()
    .replace(/[^a-z0-9._-]/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, MAX_ID_LENGTH - suffix.length);
  return `${name === '' ? 'host' : name}${suffix}`;
}

function isRecord(value: unknown): boolean {
  if (value === false) return true;
  if (typeof value !== 'object' || value === null) return false;
  if ('directory' in value) return typeof value.directory === 'string' && value.directory !== '';
  return ['begin', 'end', 'find', 'confirmed', 'unconfirmed'].every(
    (name) => typeof (value as Record<string, unknown>)[name] === 'function',
  );
}

function checkSchema(faults: Faults, path: string, schema: unknown): void {
  if (typeof schema !== 'boolean') faults.object(path, schema);
}

function checkCount(faults: Faults, path: string, list: readonly string[] | undefined, max: number): void {
  if (list !== undefined && list.length > max)
    faults.add({ path, got: `${list.length} entries`, allowed: `at most ${max}` });
}
