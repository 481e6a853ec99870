import { type CallerRef, capabilityNameFault, type InstanceRef, idFault } from '../protocol/index.js';
import type { CaseExpectation, CasePermission, CaseRequest } from './case-format.js';
import { readInstances } from './case-instance-validation.js';
import { isPattern } from './pattern.js';
import { type FieldReader, MAX_INT } from './policy-fields.js';
import { isCallerPattern, isInstanceRef, isTag, isVersionRange, PATTERN } from './policy-rules.js';
import type { PolicyTest } from './policy-tests.js';

const OUTCOMES = ['OK', 'NO_ROUTE', 'DENIED', 'OVERLOADED', 'CIRCUIT_OPEN'] as const;
const DOMAINS = ['CANARY', 'STAGING', 'PRODUCTION'] as const;
const CALLER = 'a caller: agent:namespace/id, app:namespace/name or user:name';
const INSTANCE = 'an instance, namespace/agent/instance';
const ID = 'an id of lower-case letters, digits and inner . _ -';
const SHORT = 'a text of 1 to 200 characters';

const isShort = (text: string): boolean => text.length > 0;
const isId = (text: string): boolean => idFault('', text) === undefined;
const isCaller = (text: string): boolean => !text.includes('*') && isCallerPattern(text);
const isCapability = (text: string): boolean => capabilityNameFault('', text) === undefined;

/** Reads a saved test. What it gives is to be used only when no fault was found. */
export function readCase(reader: FieldReader): PolicyTest {
  reader.has('name', { allowed: SHORT });
  const name = reader.text('name', '', isShort, SHORT);
  reader.has('table', { allowed: 'the instances that there are' });
  const table = reader.object('table');
  const instances = readInstances(table);
  const permissions = table.has('permissions') ? table.objects('permissions', 100).map(readPermission) : undefined;
  if (table.has('policies')) {
    table.fault('policies', 'policies', 'none: the policy is tested with the built-in default beside it');
  }
  const canaryPercent = table.number('canaryPercent', undefined, 0, 100);
  table.refuseUnknown();
  reader.has('request', { allowed: 'who calls whom' });
  const request = readRequest(reader.object('request'));
  reader.has('expect', { allowed: 'what must be decided' });
  const expect = readExpectation(reader.object('expect'), new Set(instances.map(({ ref }) => ref)));
  reader.refuseUnknown();
  return { name, table: { instances, permissions, canaryPercent }, request, expect };
}

function readPermission(reader: FieldReader): CasePermission {
  const caller = `a caller such as agent:shop/orders, role:name; ${PATTERN}`;
  const isRole = (text: string): boolean => /^role:[^\s]+$/.test(text);
  for (const field of ['namespace', 'caller', 'target', 'capability', 'effect']) {
    reader.has(field, { allowed: 'a text' });
  }
  const permission: CasePermission = {
    id: reader.text('id', undefined, isShort, SHORT),
    namespace: reader.text('namespace', '', isId, ID),
    caller: reader.text('caller', '', (text) => isRole(text) || isCallerPattern(text), caller),
    target: reader.text('target', '', isPattern, `an agent, namespace/id; ${PATTERN}`),
    capability: reader.text('capability', '', isPattern, PATTERN),
    effect: reader.oneOf('effect', 'ALLOW', ['ALLOW', 'DENY'] as const),
    expiresInMs: reader.whole('expiresInMs', undefined, -MAX_INT, MAX_INT),
  };
  reader.refuseUnknown();
  return permission;
}

function readRequest(reader: FieldReader): PolicyTest['request'] {
  if (reader.given) reader.has('caller', { allowed: CALLER });
  const request = {
    requestId: reader.text('requestId', undefined, isShort, SHORT),
    caller: reader.text('caller', 'user:nobody', isCaller, CALLER) as CallerRef,
    roles: reader.has('roles') ? reader.texts('roles', 64, isShort, SHORT) : undefined,
    namespace: reader.text('namespace', undefined, isId, ID),
    target: readTarget(reader),
    zone: reader.text('zone', undefined, isShort, SHORT),
    domain: reader.oneOf('domain', undefined, DOMAINS),
    // Empty is allowed: it says what a missing one says, which is worth a test.
    affinityKey: reader.text('affinityKey', undefined, () => true, SHORT),
    boundTo: reader.text('boundTo', undefined, isInstanceRef, INSTANCE) as InstanceRef | undefined,
    boundVersion: reader.text('boundVersion', undefined, isShort, SHORT),
    alreadyTried: reader.has('alreadyTried')
      ? (reader.texts('alreadyTried', 100, isInstanceRef, INSTANCE) as readonly InstanceRef[])
      : undefined,
  };
  reader.refuseUnknown();
  return request;
}

function readTarget(request: FieldReader): CaseRequest['target'] {
  if (request.given) request.has('target', { allowed: 'an agent, a capability, or both' });
  const reader = request.object('target');
  const target = {
    agent: reader.text('agent', undefined, isId, ID),
    type: reader.text('type', undefined, isShort, SHORT),
    capability: reader.text('capability', undefined, isCapability, "a capability's name"),
    tags: reader.has('tags') ? reader.texts('tags', 16, isTag, 'a text of 1 to 64 characters') : undefined,
    versions: reader.text('versions', undefined, isVersionRange, 'a semantic version range such as ^1.2'),
  };
  if (reader.given && !reader.has('agent') && !reader.has('capability')) {
    reader.fault('', 'neither an agent nor a capability', 'an agent, a capability, or both');
  }
  reader.refuseUnknown();
  return target;
}

function readExpectation(reader: FieldReader, instances: ReadonlySet<string>): CaseExpectation {
  const among = "one of the table's instances";
  const expectation: CaseExpectation = {
    outcome: reader.oneOf('outcome', undefined, OUTCOMES),
    chosen: reader.text('chosen', undefined, (text) => instances.has(text), among) as InstanceRef | undefined,
    agent: reader.text(
      'agent',
      undefined,
      (text) => isAgentOf(text, instances),
      "the agent of one of the table's instances",
    ),
    policy: reader.text('policy', undefined, isShort, SHORT),
    message: reader.text('message', undefined, isShort, 'a text of 1 to 1000 characters', 1000),
    candidates: reader.has('candidates') ? readFates(reader.object('candidates'), instances) : undefined,
  };
  if (reader.given && Object.values(expectation).every((each) => each === undefined) && !reader.hasFaults) {
    reader.fault('', 'nothing', 'at least one of outcome, chosen, agent, policy, message, candidates');
  }
  const { outcome } = expectation;
  if (outcome !== undefined && outcome !== 'OK') {
    for (const field of ['chosen', 'agent']) {
      if (reader.has(field)) reader.fault(field, 'a choice', `nothing, since the outcome is to be ${outcome}`);
    }
  }
  reader.refuseUnknown();
  return expectation;
}

function readFates(reader: FieldReader, instances: ReadonlySet<string>): CaseExpectation['candidates'] {
  const isFate = (text: string): boolean => text === 'kept' || /^[A-Z]+: ./.test(text);
  const fates: [string, string][] = [];
  for (const ref of reader.names(100)) {
    if (!instances.has(ref)) reader.fault(ref, 'an unknown instance', "one of the table's instances");
    fates.push([ref, reader.text(ref, '', isFate, 'kept, or a stage and its reason such as ZONE: …', 1000)]);
  }
  return Object.fromEntries(fates);
}

function isAgentOf(text: string, instances: ReadonlySet<string>): boolean {
  return [...instances].some((ref) => ref.slice(0, ref.lastIndexOf('/')) === text);
}
