import type { RouteExplanation } from '@/features/explain/explain.operations';
import type { AgentSituation, InstanceSituation } from './situation.operations';

/** An agent as it is now, and whether the caller may call it. */
export interface Situation {
  readonly agent: AgentSituation;
  readonly allowed: boolean;
}

/** Instances that a test may have. */
const MAX_INSTANCES = 100;

/** In the order of the explanation, in which the chosen and the kept come first. */
export function instancesOf(
  { candidates }: RouteExplanation,
  situations: readonly Situation[],
  capability: string | undefined,
): unknown[] {
  return candidates.slice(0, MAX_INSTANCES).flatMap(({ instance: ref }) => {
    const agent = situations.find((each) => each.agent.ref === agentOf(ref))?.agent;
    const instance = agent?.instances.find((each) => each.ref === ref);
    return agent === undefined || instance === undefined ? [] : [instanceOf(agent, instance, capability)];
  });
}

function instanceOf(agent: AgentSituation, instance: InstanceSituation, capability: string | undefined): unknown {
  const offered = agent.capabilities.filter(
    ({ agentVersion, name, aliases }) =>
      agentVersion === instance.version &&
      (capability === undefined || name === capability || aliases.includes(capability)),
  );
  return {
    ref: instance.ref,
    ...unusual({
      type: agent.type,
      version: instance.version,
      zone: instance.zone,
      domain: instance.domain,
      weight: agent.weight,
      maxConcurrency: instance.maxConcurrency,
      maxQueue: instance.maxQueue,
      maxTasks: instance.maxTasks,
      lifecycle: instance.lifecycle,
      health: instance.health,
      reason: instance.reason,
      inFlight: instance.inFlight,
      tasks: instance.tasks,
      queueDepth: instance.queueDepth,
      utilisation: instance.utilisation,
      meanLatencyMs: instance.meanLatencyMs,
      successRate: instance.successRate,
      ackOverdue: instance.ackOverdue,
    }),
    ...breakerOf(instance),
    capabilities: Object.fromEntries(
      offered.map(({ name, aliases, tags, mode }) => {
        const plain = aliases.length + tags.length === 0 && mode === 'SYNC';
        return [name, plain ? null : { aliases, tags, ...(mode === 'SYNC' ? {} : { mode }) }];
      }),
    ),
  };
}

/** What an instance of a test is when the test doesn't say. */
const USUAL: Readonly<Record<string, unknown>> = {
  version: '1.0.0',
  zone: 'default',
  domain: 'PRODUCTION',
  weight: 100,
  maxConcurrency: 10,
  maxQueue: 0,
  maxTasks: 100,
  lifecycle: 'READY',
  health: 'HEALTHY',
  reason: '',
  inFlight: 0,
  tasks: 0,
  queueDepth: 0,
  successRate: 1,
  ackOverdue: false,
};

/** Leaves out what goes without saying: a test is read more often than it is made. */
function unusual(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value !== null && value !== undefined && value !== USUAL[name]),
  );
}

function breakerOf({ breaker, breakerReason }: InstanceSituation) {
  const reason = breakerReason === '' ? 'failures' : breakerReason;
  if (breaker === 'OPEN') return { breaker: { open: reason, forMs: 30_000 } };
  return breaker === 'HALF_OPEN' ? { breaker: { halfOpen: reason, probing: false } } : {};
}

/** Without rules a test lets everybody call everything; with some, only what they allow. */
export function permissionsOf(caller: string, situations: readonly Situation[]) {
  if (situations.every(({ allowed }) => allowed)) return {};
  return {
    permissions: situations
      .filter(({ allowed }) => allowed)
      .map(({ agent }) => ({
        namespace: agent.ref.slice(0, agent.ref.indexOf('/')),
        caller,
        target: agent.ref,
        capability: '*',
        effect: 'ALLOW',
      })),
  };
}

/** The agent of `namespace/agent/instance`. */
export function agentOf(instance: string): string {
  return instance.slice(0, instance.lastIndexOf('/'));
}
