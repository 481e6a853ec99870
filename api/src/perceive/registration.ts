import { createHash } from 'node:crypto';
import {
  AGENT_KINDS,
  CAPABILITY_LIMITS,
  type CapabilityDeclaration,
  capabilityNameFault,
  type FieldFault,
  idFault,
  leaseFaults,
  MAX_FAULTS,
  ReachError,
  type RegisterFrame,
  type WellShapedRegistration,
  wellShapedRegistration,
} from '@agent-reach/sdk/protocol';
import type { CapabilityRecord, InstanceSettings } from './model.js';
import type { Registration } from './ports.js';
import { compileInput, compileOutput } from './schemas/compile.js';
import { SchemaFault } from './schemas/schema-fault.js';

/** What an instance reports, checked and defaulted. */
export interface CheckedRegistration {
  readonly registration: Registration;
  readonly instance: string;
  readonly zone: string;
  readonly settings: InstanceSettings;
}

/** Defaults of what a registration may leave out. */
export const REGISTRATION_DEFAULTS = {
  zone: 'default',
  lease: 'REALTIME',
  startupGraceMs: 3_000,
  drainTimeoutMs: 30_000,
  maxConcurrency: 1_000,
  maxQueue: 0,
  maxTasks: 100,
} as const;

/** As JSON.stringify writes what Postgres can't store in jsonb. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i;

const GOOD_DESCRIPTION =
  'such as "Use it to look up one order by its number; answers the order with its items and status"';

/** Whose registration it is. */
export interface Registrant {
  readonly namespace: string;
  readonly agent: string;
  readonly actor: string;
  readonly enrolmentKeyId: string | undefined;
}

/**
 * Checks a registration whole: all faults at once, each with its path. Schemas are compiled here, so that a bad one
 * rejects its registration and nothing else.
 * Throws INVALID_REGISTRATION.
 *
 * @param others faults that were found elsewhere and are reported with the rest
 * @param networkRecoveryMs how long the network may take to recover; a lease of its own must outlast it twice
 */
export function checkRegistration(
  frame: RegisterFrame,
  who: Registrant,
  others: readonly FieldFault[] = [],
  networkRecoveryMs = 0,
): CheckedRegistration {
  const faults = [...others, ...valueFaults(frame, who, networkRecoveryMs)];
  if (faults.length > 0) throw invalidRegistration(faults);
  const capabilities = frame.capabilities.map(capabilityRecord);
  const reported = {
    namespace: who.namespace,
    agent: who.agent,
    type: frame.agentType,
    kind: frame.kind ?? 'AGENT',
    description: frame.description ?? '',
    owner: frame.owner ?? '',
    labels: frame.labels ?? {},
    version: frame.version,
    capabilities,
  };
  return {
    registration: {
      ...reported,
      contentHash: createHash('sha256').update(JSON.stringify(reported)).digest('hex'),
      actor: who.actor,
      enrolmentKeyId: who.enrolmentKeyId,
    },
    instance: frame.instance,
    zone: frame.zone ?? REGISTRATION_DEFAULTS.zone,
    settings: {
      lease: frame.lease ?? REGISTRATION_DEFAULTS.lease,
      startupGraceMs: frame.startupGraceMs ?? REGISTRATION_DEFAULTS.startupGraceMs,
      drainTimeoutMs: frame.drainTimeoutMs ?? REGISTRATION_DEFAULTS.drainTimeoutMs,
      maxConcurrency: frame.maxConcurrency ?? REGISTRATION_DEFAULTS.maxConcurrency,
      maxQueue: frame.maxQueue ?? REGISTRATION_DEFAULTS.maxQueue,
      maxTasks: frame.maxTasks ?? REGISTRATION_DEFAULTS.maxTasks,
    },
  };
}

/**
 * What else is wrong with a registration whose shape has these faults, so that its author hears of all at once. A field
 * of the wrong shape has that fault only. None where the shape has more faults than are listed.
 */
export function faultsBeside(
  misshapen: readonly FieldFault[],
  body: unknown,
  who: Registrant,
  networkRecoveryMs = 0,
): FieldFault[] {
  // Nested beyond what may be walked.
  const isWhole = misshapen.some(({ path }) => path === 'register' || path === '$');
  if (isWhole || misshapen.length >= MAX_FAULTS) return [];
  const told = (path: string) => misshapen.some((fault) => path === fault.path || path.startsWith(`${fault.path}.`));
  return valueFaults(wellShapedRegistration(body), who, networkRecoveryMs).filter(({ path }) => !told(path));
}

/** An error that lists these faults, and shows the first. */
export function invalidRegistration(fields: readonly FieldFault[]): ReachError {
  const [first] = fields;
  const count = fields.length === 1 ? 'a fault' : `${fields.length} faults`;
  const message = `The registration has ${count}: ${first?.path}: got ${first?.got}, allowed: ${first?.allowed}.`;
  return new ReachError('INVALID_REGISTRATION', message, { fields });
}

/** The faults of what has the right shape; what is absent and must not be is a fault of the shape. */
function valueFaults(frame: WellShapedRegistration, who: Registrant, networkRecoveryMs: number): FieldFault[] {
  const faults: FieldFault[] = [];
  const add = (fault: FieldFault | undefined) => fault !== undefined && faults.push(fault);
  add(idFault('agent', who.agent));
  add(idFault('instance', frame.instance));
  if (frame.zone !== undefined) add(idFault('zone', frame.zone));
  if (frame.version !== undefined && !/^[A-Za-z0-9][A-Za-z0-9.+-]{0,63}$/.test(frame.version)) {
    faults.push({
      path: 'version',
      got: JSON.stringify(frame.version).slice(0, 80),
      allowed: '1 to 64 letters, digits, and . + - (such as "1.4.2")',
    });
  }
  add(idFault('agentType', frame.agentType));
  if (frame.kind !== undefined && !AGENT_KINDS.includes(frame.kind)) {
    faults.push({ path: 'kind', got: JSON.stringify(frame.kind), allowed: AGENT_KINDS.join(', ') });
  }
  if (frame.lease !== undefined) faults.push(...leaseFaults(frame.lease, networkRecoveryMs));
  add(wholeNumber('startupGraceMs', frame.startupGraceMs, 0, 600_000));
  add(wholeNumber('drainTimeoutMs', frame.drainTimeoutMs, 0, 3_600_000));
  add(wholeNumber('maxConcurrency', frame.maxConcurrency, 1, 100_000));
  add(wholeNumber('maxQueue', frame.maxQueue, 0, 100_000));
  add(wholeNumber('maxTasks', frame.maxTasks, 1, 100_000));
  faults.push(...capabilitiesFaults(frame.capabilities));
  if (UNSTORABLE.test(JSON.stringify(frame.capabilities))) {
    faults.push({ path: 'capabilities', got: 'NUL or half of a surrogate pair', allowed: 'text that can be stored' });
  }
  return faults;
}

function capabilitiesFaults(declared: readonly Partial<CapabilityDeclaration>[]): FieldFault[] {
  const { maxCapabilities } = CAPABILITY_LIMITS;
  if (declared.length > maxCapabilities) {
    return [{ path: 'capabilities', got: `${declared.length} capabilities`, allowed: `at most ${maxCapabilities}` }];
  }
  const faults: FieldFault[] = [];
  const names = new Map<string, string>();
  for (const [index, capability] of declared.entries()) {
    const path = `capabilities.${index}`;
    checkCapability(capability, path, faults);
    for (const [place, name] of namesOf(capability, path)) {
      const fault = capabilityNameFault(place, name);
      if (fault !== undefined) faults.push(fault);
      if (name === undefined) continue;
      const earlier = names.get(name);
      if (earlier !== undefined) {
        faults.push({
          path: place,
          got: JSON.stringify(name),
          allowed: `a name that no other capability or alias has (${earlier} has it)`,
        });
      }
      names.set(name, place);
    }
  }
  return faults;
}

function capabilityRecord(capability: CapabilityDeclaration): Omit<CapabilityRecord, 'uid'> {
  return {
    name: capability.name,
    aliases: capability.aliases ?? [],
    description: capability.description,
    inputSchema: capability.inputSchema,
    outputSchema: capability.outputSchema,
    tags: capability.tags ?? [],
    idempotent: capability.idempotent ?? false,
    mode: capability.mode ?? 'SYNC',
    cacheTtlMs: capability.cacheTtlMs ?? 0,
    callerIndependent: capability.callerIndependent ?? false,
    sensitive: capability.sensitive ?? [],
    headers: capability.headers ?? [],
  };
}

function namesOf(capability: Partial<CapabilityDeclaration>, path: string): [string, string | undefined][] {
  const aliases = (capability.aliases ?? []).map((alias, index): [string, string] => [
    `${path}.aliases.${index}`,
    alias,
  ]);
  return [[`${path}.name`, capability.name], ...aliases];
}

/** A Chinese character says as much as two letters. */
function weightOf(text: string): number {
  return text.length + (text.match(/\p{sc=Han}/gu)?.length ?? 0);
}

/** More than one word; Chinese is written without spaces. */
function isProse(text: string): boolean {
  return /\s/.test(text) || /\p{sc=Han}{2}/u.test(text);
}

function checkCapability(capability: Partial<CapabilityDeclaration>, path: string, faults: FieldFault[]): void {
  const add = (fault: FieldFault | undefined) => fault !== undefined && faults.push(fault);
  const { minDescription, maxDescription, maxTags, maxAliases } = CAPABILITY_LIMITS;
  const text = typeof capability.description === 'string' ? capability.description.trim() : '';
  if (weightOf(text) < minDescription || text.length > maxDescription || !isProse(text)) {
    add({
      path: `${path}.description`,
      got: text === '' ? 'nothing' : `${text.length} characters`,
      allowed: `${minDescription} to ${maxDescription} characters that say when to use it and what it answers, ${GOOD_DESCRIPTION}`,
    });
  }
  add(atMost(`${path}.tags`, capability.tags, maxTags));
  add(atMost(`${path}.aliases`, capability.aliases, maxAliases));
  add(wholeNumber(`${path}.cacheTtlMs`, capability.cacheTtlMs, 0, 86_400_000));
  if ((capability.cacheTtlMs ?? 0) > 0 && capability.idempotent !== true) {
    const got = `${capability.cacheTtlMs} for a capability that is not idempotent`;
    add({ path: `${path}.cacheTtlMs`, got, allowed: '0, or "idempotent": true' });
  }
  if (capability.mode !== undefined && capability.mode !== 'SYNC' && capability.mode !== 'TASK') {
    add({ path: `${path}.mode`, got: JSON.stringify(capability.mode), allowed: 'SYNC, TASK' });
  }
  add(schemaFault(`${path}.inputSchema`, capability.inputSchema, (schema) => compileInput(schema)));
  if (capability.outputSchema !== undefined) {
    add(schemaFault(`${path}.outputSchema`, capability.outputSchema, (schema) => compileOutput(schema)));
  }
}

function schemaFault(
  path: string,
  schema: CapabilityDeclaration['inputSchema'] | undefined,
  compile: (schema: CapabilityDeclaration['inputSchema']) => unknown,
): FieldFault | undefined {
  const allowed =
    'a JSON Schema 2020-12 without remote references, such as {"type":"object","properties":{"id":{"type":"string"}},"required":["id"]}';
  if (schema === undefined) return { path, got: 'nothing', allowed };
  try {
    compile(schema);
    return undefined;
  } catch (error) {
    if (!(error instanceof SchemaFault)) throw error;
    return { path: error.path === '' ? path : `${path}.${error.path}`, got: `a schema that ${error.message}`, allowed };
  }
}

function atMost(path: string, list: readonly string[] | undefined, most: number): FieldFault | undefined {
  if (list === undefined || list.length <= most) return undefined;
  return { path, got: `${list.length}`, allowed: `at most ${most}` };
}

function wholeNumber(path: string, value: number | undefined, least: number, most: number): FieldFault | undefined {
  if (value === undefined || (Number.isInteger(value) && value >= least && value <= most)) return undefined;
  return { path, got: String(value), allowed: `a whole number from ${least} to ${most}` };
}
