import { type AgentRef, WIRE_LIMITS } from '../protocol/index.js';
import {
  type AgentRatio,
  DEFAULT_QUALITY,
  DEFAULT_SPILL_PERCENT,
  DEFAULT_WEIGHTS,
  type QualityFormula,
  type ScoreWeights,
  STRATEGY_NAMES,
  type StrategySettings,
} from './policy.js';
import { type FieldReader, MAX_INT } from './policy-fields.js';
import { isAgentRef, shownSum, sumsTo100 } from './policy-rules.js';

const AGENT = 'an agent, namespace/id';
/** Agents that a policy may list in one place. */
export const MAX_AGENTS = 256;

/** Reads `strategy` of a policy's content. Settings of another strategy than the named one are unknown fields. */
export function readStrategy(root: FieldReader): StrategySettings {
  const reader = root.object('strategy');
  const name = reader.oneOf('name', 'WEIGHTED_SCORE', STRATEGY_NAMES);
  const settings = readSettings(reader, name);
  reader.refuseUnknown();
  return settings;
}

function readSettings(reader: FieldReader, name: StrategySettings['name']): StrategySettings {
  switch (name) {
    case 'WEIGHTED_SCORE':
      return { name, weights: readWeights(reader.object('weights')) };
    case 'QUALITY':
      return { name, quality: readQuality(reader.object('quality')) };
    case 'CONSISTENT_HASH':
      return { name, spillPercent: reader.number('spillPercent', DEFAULT_SPILL_PERCENT, 0, 100) };
    case 'PRIORITY_RATIO':
      return {
        name,
        agents: readRatios(reader),
        fallback: reader.texts('fallback', MAX_AGENTS, isAgentRef, AGENT) as readonly AgentRef[],
      };
    case 'LEAST_IN_FLIGHT':
    case 'LEAST_LOAD':
    case 'ROUND_ROBIN':
    case 'RANDOM':
      return { name };
    default:
      return name satisfies never;
  }
}

/** Given weights are the whole of them: the share that is left out is 0. */
function readWeights(reader: FieldReader): ScoreWeights {
  const usual = reader.given ? { load: 0, latency: 0, affinity: 0 } : DEFAULT_WEIGHTS;
  const weights = {
    load: reader.number('load', usual.load, 0, MAX_INT),
    latency: reader.number('latency', usual.latency, 0, MAX_INT),
    affinity: reader.number('affinity', usual.affinity, 0, MAX_INT),
  };
  if (weights.load + weights.latency + weights.affinity === 0) {
    reader.fault('', 'every weight 0', 'at least one weight over 0');
  }
  reader.refuseUnknown();
  return weights;
}

function readQuality(reader: FieldReader): QualityFormula {
  const quality = {
    base: reader.number('base', DEFAULT_QUALITY.base, 0, MAX_INT),
    successWeight: reader.number('successWeight', DEFAULT_QUALITY.successWeight, 0, MAX_INT),
    latencyWeight: reader.number('latencyWeight', DEFAULT_QUALITY.latencyWeight, 0, MAX_INT),
    latencyBoundMs: reader.whole('latencyBoundMs', DEFAULT_QUALITY.latencyBoundMs, 1, WIRE_LIMITS.maxTimeoutMs),
  };
  if (quality.successWeight + quality.latencyWeight === 0) {
    reader.fault('', 'every weight 0', 'successWeight or latencyWeight over 0');
  }
  reader.refuseUnknown();
  return quality;
}

function readRatios(reader: FieldReader): readonly AgentRatio[] {
  const ratios: AgentRatio[] = [];
  let sum: number | undefined = 0;
  reader.has('agents', { allowed: 'a list of agents with their ratios' });
  const entries = reader.objects('agents', MAX_AGENTS);
  for (const entry of entries) {
    entry.has('agent', { allowed: AGENT });
    const agent = entry.text('agent', undefined, isAgentRef, AGENT) as AgentRef | undefined;
    entry.has('ratio', { allowed: 'a number from 0 to 100' });
    const ratio = entry.number('ratio', undefined, 0, 100);
    entry.refuseUnknown();
    if (agent !== undefined && ratios.some((each) => each.agent === agent)) {
      entry.fault('agent', JSON.stringify(agent), 'an agent that is not in the list yet');
    }
    sum = sum === undefined || ratio === undefined ? undefined : sum + ratio;
    if (agent !== undefined) ratios.push({ agent, ratio: ratio ?? 0 });
  }
  // While a part of the sum is unknown it says nothing, and of no list at all another fault tells.
  if (reader.isList('agents') && sum !== undefined && !sumsTo100(sum)) {
    reader.fault('agents', `ratios that sum to ${shownSum(sum)}`, 'ratios that sum to 100');
  }
  return ratios;
}
