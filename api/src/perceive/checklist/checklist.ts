import { isRoutable, type PermissionRule } from '@agent-reach/sdk/decide';
import type { AgentRecord, AgentVersionRecord, InstanceView } from '../model.js';
import { permittedCaller } from './permitted.js';
import { schemaAdvice } from './schema-advice.js';

export const CHECKLIST_ITEMS = [
  'CREDENTIAL',
  'CONNECTED',
  'DECLARED',
  'DESCRIBED',
  'VERIFIED',
  'READY',
  'IN_SERVICE',
  'IN_PRODUCTION',
  'PERMITTED',
  'CALLED',
] as const;
export type ChecklistItemName = (typeof CHECKLIST_ITEMS)[number];

/** One thing that an agent needs so that it gets calls. */
export interface ChecklistItem {
  readonly item: ChecklistItemName;
  readonly done: boolean;
  /** It gets calls without this too. */
  readonly advice: boolean;
  /** How it stands, in a sentence. */
  readonly text: string;
}

/** What the checklist is made of. */
export interface ChecklistFacts {
  readonly agent: AgentRecord;
  readonly instances: readonly InstanceView[];
  /** All that count now. */
  readonly rules: readonly PermissionRule[];
  /** Wall clock, ms since 1970. */
  readonly now: number;
  /** Whether it has a live token of its own. */
  readonly hasToken: boolean;
  /** Whether one of its latest calls succeeded. */
  readonly wasCalled: boolean;
}

/** What an agent still lacks to get calls, and what it has, in the order in which a new one comes by it. */
export function checklistOf(facts: ChecklistFacts): readonly ChecklistItem[] {
  const { agent, instances } = facts;
  const alive = instances.filter(({ lifecycle }) => lifecycle !== 'SUSPECT' && lifecycle !== 'GONE');
  const versions = versionsOf(agent, alive);
  return [
    credential(facts),
    connected(instances, alive),
    ...declared(versions),
    ...verified(alive),
    ready(alive),
    inService(agent),
    ...inProduction(versions),
    permitted(facts, versions),
    called(facts),
  ];
}

function credential({ agent, instances, hasToken }: ChecklistFacts): ChecklistItem {
  const item = 'CREDENTIAL';
  if (hasToken) return done(item, 'It has a token to join with.');
  if (agent.enrolmentKeyId !== null) return done(item, 'It joins with an enrolment key.');
  if (instances.length > 0) return done(item, 'It was let in.');
  return missing(item, 'It has no live token to join with.');
}

function connected(instances: readonly InstanceView[], alive: readonly InstanceView[]): ChecklistItem {
  const item = 'CONNECTED';
  const [first] = alive;
  if (first?.transport === 'HTTP') return done(item, `${first.name} is registered as an HTTP endpoint.`);
  if (first !== undefined) return done(item, `${first.name} is connected.`);
  const [lost] = instances;
  return missing(item, lost === undefined ? 'No instance is connected.' : stateOf(lost));
}

function declared(versions: readonly AgentVersionRecord[]): ChecklistItem[] {
  const capabilities = versions.flatMap((version) => version.capabilities);
  if (capabilities.length === 0) {
    return [missing('DECLARED', 'It has declared no capability; an instance does that as it registers.')];
  }
  const names = [...new Set(capabilities.map(({ name }) => name))];
  const advice = schemaAdvice(capabilities);
  return [
    done('DECLARED', `It can do ${named(names)}.`),
    advice === undefined
      ? done('DESCRIBED', 'Its schemas say what goes in and what comes out.')
      : { item: 'DESCRIBED', done: false, advice: true, text: advice },
  ];
}

/** Only endpoints wait for it: whoever connects has thereby been reached. */
function verified(alive: readonly InstanceView[]): ChecklistItem[] {
  const endpoints = alive.filter(({ transport }) => transport === 'HTTP');
  const waiting = endpoints.find(({ lifecycle }) => lifecycle === 'PENDING');
  if (endpoints.length === 0) return [];
  if (waiting !== undefined && endpoints.every(({ lifecycle }) => lifecycle === 'PENDING')) {
    return [missing('VERIFIED', stateOf(waiting))];
  }
  return [done('VERIFIED', 'The server has reached its health path.')];
}

function ready(alive: readonly InstanceView[]): ChecklistItem {
  const serving = alive.find((view) => isRoutable({ live: view, weight: 1 }));
  if (serving !== undefined) return done('READY', `${serving.name} is READY.`);
  const [first] = alive;
  if (first?.lifecycle === 'PENDING') return missing('READY', `${first.name} waits to be verified.`);
  return missing('READY', first === undefined ? 'No instance is READY.' : stateOf(first));
}

function inService({ settings }: AgentRecord): ChecklistItem {
  const item = 'IN_SERVICE';
  if (settings.paused) return missing(item, 'An operator paused it: it gets no call until it is resumed.');
  if (settings.weight === 0) return missing(item, 'Its weight is 0, which means no new work.');
  return done(item, `No operator holds it back; its weight is ${settings.weight}.`);
}

function inProduction(versions: readonly AgentVersionRecord[]): ChecklistItem[] {
  const item = 'IN_PRODUCTION';
  const [first] = versions;
  if (first === undefined) return [];
  const released = versions.find(({ domain }) => domain === 'PRODUCTION');
  if (released !== undefined) return [done(item, `Version ${released.version} is in PRODUCTION.`)];
  const only = `only callers of that domain and what a policy splits off reach it`;
  return [missing(item, `Version ${first.version} is in ${first.domain}: ${only}.`)];
}

function permitted({ agent, rules, now }: ChecklistFacts, versions: readonly AgentVersionRecord[]): ChecklistItem {
  const item = 'PERMITTED';
  const names = versions.flatMap((version) => version.capabilities.map(({ name }) => name));
  const found = permittedCaller(rules, agent.ref, names, now);
  switch (found.is) {
    case 'SOMEBODY':
      return done(item, `${found.caller} may call ${found.capability}.`);
    case 'OUTWEIGHED': {
      const { caller, target, capability } = found.by;
      return missing(item, `The rule DENY ${caller} → ${target}:${capability} outweighs those that allow it.`);
    }
    case 'NOBODY':
      return missing(item, 'No permission rule lets anybody call it.');
    default:
      return found satisfies never;
  }
}

function called({ wasCalled, instances }: ChecklistFacts): ChecklistItem {
  const isAnswering = wasCalled || instances.some(({ successRate }) => (successRate ?? 0) > 0);
  return isAnswering
    ? done('CALLED', 'Calls of it have succeeded.')
    : missing('CALLED', 'No call of it has succeeded yet.');
}

/** The versions that live instances run, else the newest. */
function versionsOf(agent: AgentRecord, alive: readonly InstanceView[]): readonly AgentVersionRecord[] {
  const running = new Set(alive.map(({ version }) => version));
  const versions = [...agent.versions.values()].sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  const live = versions.filter(({ version }) => running.has(version));
  return live.length > 0 ? live : versions.slice(0, 1);
}

function stateOf({ name, lifecycle, health, reason }: InstanceView): string {
  return `${name} is ${lifecycle}${health === 'OFFLINE' ? ' and OFFLINE' : ''}: ${reason}.`;
}

/** At most three names, and how many more. */
function named(names: readonly string[]): string {
  const more = names.length - 3;
  return `${names.slice(0, 3).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function done(item: ChecklistItemName, text: string): ChecklistItem {
  return { item, done: true, advice: item === 'DESCRIBED', text };
}

function missing(item: ChecklistItemName, text: string): ChecklistItem {
  return { item, done: false, advice: false, text };
}
