import { matches, type PolicyContent } from '@agent-reach/sdk/decide';
import type { FieldFault } from '@agent-reach/sdk/protocol';
import type { AgentRecord, AgentVersionRecord, CapabilityRecord } from '../../perceive/model.js';
import type { RegistryView } from '../../perceive/ports.js';
import { compileOutput } from '../../perceive/schemas/compile.js';

/** Somebody waits for the warnings while he types, so not every schema of a large namespace is compiled for them. */
const MAX_SCHEMAS = 200;

/** What answerWarnings needs to know of the registry. */
export type OfferedCapabilities = Pick<RegistryView, 'agents' | 'instances'>;

/**
 * Fixed answers of a policy's fallback that callers would take for what they are not: they don't match the outputSchema
 * of a capability that the policy is for. One for each answer and capability; of the first 200 schemas.
 */
export function answerWarnings(content: PolicyContent, namespace: string, registry: OfferedCapabilities): string[] {
  const answers = content.fallback.flatMap((step, index) =>
    step.kind === 'ANSWER' ? [{ path: `fallback.${index}.result`, result: step.result }] : [],
  );
  if (answers.length === 0) return [];
  const warnings = new Map<string, string>();
  let schemas = 0;
  for (const { capability, by } of offered(content, namespace, registry)) {
    if (capability.outputSchema === undefined) continue;
    if (++schemas > MAX_SCHEMAS) break;
    const validate = compileOutput(capability.outputSchema);
    for (const { path, result } of answers) {
      const key = `${path} ${capability.name}`;
      const fault = validate(result)?.[0];
      if (fault === undefined || warnings.has(key)) continue;
      warnings.set(key, `${path} does not match the outputSchema of ${capability.name} (${by}): ${shown(fault)}.`);
    }
  }
  return [...warnings.values()];
}

function* offered({ match, candidates }: PolicyContent, namespace: string, registry: OfferedCapabilities) {
  for (const agent of registry.agents()) {
    if (agent.namespace !== namespace) continue;
    if (candidates.length > 0 && !candidates.includes(agent.ref)) continue;
    for (const version of versionsInUse(agent, registry)) {
      for (const capability of version.capabilities) {
        if (isFor(match, capability)) yield { capability, by: `${agent.ref} ${version.version}` };
      }
    }
  }
}

/** The caller's part of the match doesn't count: whoever it is, he reads the answer by the same schema. */
function isFor({ capability, tags }: PolicyContent['match'], { name, tags: has }: CapabilityRecord): boolean {
  return matches(capability, name) && tags.every((tag) => has.includes(tag));
}

/** Those that instances run; of an agent that is away altogether, which is when a fallback answers, the newest. */
function versionsInUse(agent: AgentRecord, registry: OfferedCapabilities): readonly AgentVersionRecord[] {
  const running = new Set(registry.instances(agent.ref).map(({ version }) => version));
  const all = [...agent.versions.values()];
  if (running.size > 0) return all.filter(({ version }) => running.has(version));
  return all.sort((a, b) => b.createdAt.getTime() - a.createdAt.getTime()).slice(0, 1);
}

function shown({ path, got, allowed }: FieldFault): string {
  return `${path === '' ? 'result' : path}: got ${got}, allowed: ${allowed}`;
}
