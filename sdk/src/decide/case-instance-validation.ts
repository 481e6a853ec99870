import { capabilityNameFault, HEALTHS, type InstanceRef, LIFECYCLES } from '../protocol/index.js';
import type { CaseBreaker, CaseCapability, CaseInstance, CaseSlowStart } from './case-format.js';
import { DEFAULT_POLICY_CONTENT } from './policy.js';
import { type FieldReader, MAX_INT } from './policy-fields.js';
import { isCallerPattern, isInstanceRef, isTag } from './policy-rules.js';

/** Instances that one saved test may describe. */
const MAX_INSTANCES = 100;
/** Capabilities that one of them may have. */
const MAX_CAPABILITIES = 32;

const INSTANCE = 'an instance, namespace/agent/instance';
const SHORT = 'a text of 1 to 200 characters';

const isShort = (text: string): boolean => text.length > 0;
const isName = (text: string): boolean => capabilityNameFault('', text) === undefined;

/** Reads `instances` of a saved test's table. None at all is allowed: that nobody is there can be worth a test. */
export function readInstances(table: FieldReader): readonly CaseInstance[] {
  if (table.given) table.has('instances', { allowed: 'a list of instances, which may be empty' });
  const refs = new Set<string>();
  return table.objects('instances', MAX_INSTANCES).map((reader) => {
    const instance = readInstance(reader);
    if (instance.ref !== NOBODY && refs.has(instance.ref)) {
      reader.fault('ref', JSON.stringify(instance.ref), 'an instance that is not in the list yet');
    }
    refs.add(instance.ref);
    return instance;
  });
}

/** Stands for an instance whose name is at fault. */
const NOBODY: InstanceRef = '//';

function readInstance(reader: FieldReader): CaseInstance {
  if (reader.given) {
    reader.has('ref', { allowed: INSTANCE });
    reader.has('capabilities', { allowed: 'capabilities by name' });
  }
  const instance: CaseInstance = {
    ref: reader.text('ref', NOBODY, isInstanceRef, INSTANCE) as InstanceRef,
    type: reader.text('type', undefined, isShort, SHORT),
    version: reader.text('version', undefined, isShort, SHORT),
    zone: reader.text('zone', undefined, isShort, SHORT),
    domain: reader.oneOf('domain', undefined, ['CANARY', 'STAGING', 'PRODUCTION'] as const),
    weight: reader.number('weight', undefined, 0, MAX_INT),
    maxConcurrency: reader.whole('maxConcurrency', undefined, 1, MAX_INT),
    maxQueue: reader.whole('maxQueue', undefined, 0, MAX_INT),
    maxTasks: reader.whole('maxTasks', undefined, 1, MAX_INT),
    lifecycle: reader.oneOf('lifecycle', undefined, LIFECYCLES),
    health: reader.oneOf('health', undefined, HEALTHS),
    reason: reader.text('reason', undefined, () => true, SHORT),
    inFlight: reader.whole('inFlight', undefined, 0, MAX_INT),
    tasks: reader.whole('tasks', undefined, 0, MAX_INT),
    queueDepth: reader.whole('queueDepth', undefined, 0, MAX_INT),
    utilisation: reader.number('utilisation', undefined, 0, 1),
    meanLatencyMs: reader.number('meanLatencyMs', undefined, 0, MAX_INT),
    successRate: reader.number('successRate', undefined, 0, 1),
    ackOverdue: reader.flag('ackOverdue', undefined),
    callerHistory: reader.has('callerHistory') ? readHistory(reader.object('callerHistory')) : undefined,
    breaker: reader.has('breaker') ? readBreaker(reader.object('breaker')) : undefined,
    slowStart: reader.has('slowStart') ? readSlowStart(reader.object('slowStart')) : undefined,
    capabilities: readCapabilities(reader.object('capabilities')),
  };
  reader.refuseUnknown();
  return instance;
}

function readHistory(reader: FieldReader): Readonly<Record<string, number>> {
  const shares: [string, number][] = [];
  for (const caller of reader.names(100)) {
    if (!isCallerPattern(caller) || caller.endsWith('*')) {
      reader.fault(caller, 'a name that is no caller', 'agent:namespace/id, app:namespace/name or user:name');
    }
    shares.push([caller, reader.number(caller, 1, 0, 1)]);
  }
  return Object.fromEntries(shares);
}

function readBreaker(reader: FieldReader): CaseBreaker {
  const isOpen = reader.has('open');
  if (reader.given && isOpen === reader.has('halfOpen')) {
    reader.fault(
      '',
      isOpen ? 'both open and halfOpen' : 'neither open nor halfOpen',
      'open or halfOpen, with its reason',
    );
  }
  const open = reader.text('open', '', isShort, SHORT);
  const halfOpen = reader.text('halfOpen', '', isShort, SHORT);
  const breaker: CaseBreaker = isOpen
    ? { open, forMs: reader.whole('forMs', 30_000, 0, MAX_INT) }
    : { halfOpen, probing: reader.flag('probing', false) };
  reader.refuseUnknown();
  return breaker;
}

function readSlowStart(reader: FieldReader): CaseSlowStart {
  if (reader.given) reader.has('forMs', { allowed: 'for how long still, in ms' });
  const slowStart = {
    forMs: reader.whole('forMs', 0, 0, MAX_INT),
    ofMs: reader.whole('ofMs', DEFAULT_POLICY_CONTENT.breaker.slowStartMs, 1, MAX_INT),
  };
  reader.refuseUnknown();
  return slowStart;
}

function readCapabilities(reader: FieldReader): CaseInstance['capabilities'] {
  const capabilities: [string, CaseCapability][] = [];
  for (const name of reader.names(MAX_CAPABILITIES)) {
    const fault = capabilityNameFault(name, name);
    if (fault !== undefined) reader.fault(name, fault.got, fault.allowed);
    const more = reader.object(name);
    const aliases = more.has('aliases') ? more.texts('aliases', 16, isName, "a capability's name") : undefined;
    const tags = more.has('tags') ? more.texts('tags', 16, isTag, 'a text of 1 to 64 characters') : undefined;
    const mode = more.oneOf('mode', undefined, ['SYNC', 'TASK'] as const);
    more.refuseUnknown();
    capabilities.push([name, { aliases, tags, mode }]);
  }
  return Object.fromEntries(capabilities);
}
