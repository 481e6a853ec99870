import {
  DEFAULT_QUALITY,
  DEFAULT_SPILL_PERCENT,
  DEFAULT_WEIGHTS,
  STRATEGY_NAMES,
  type StrategyName,
  type StrategySettings,
} from '@agent-reach/sdk/decide';
import type { PolicyDraft } from './policy-draft';

interface StrategyText {
  readonly label: string;
  /** What it does, in one line. */
  readonly about: string;
}

const TEXTS: Readonly<Record<StrategyName, StrategyText>> = {
  WEIGHTED_SCORE: { label: 'Weighted score', about: 'The best score of load, latency and affinity' },
  LEAST_IN_FLIGHT: { label: 'Least in flight', about: 'The fewest calls in flight, in proportion to weight' },
  LEAST_LOAD: { label: 'Least load', about: 'The lowest measured load, in proportion to weight' },
  QUALITY: { label: 'Quality', about: 'The best success and latency over five minutes' },
  ROUND_ROBIN: { label: 'Round robin', about: 'Each in turn, in proportion to weight' },
  RANDOM: { label: 'Random', about: 'By lot, in proportion to weight' },
  CONSISTENT_HASH: { label: 'Consistent hash', about: 'The same affinity key goes to the same instance' },
  PRIORITY_RATIO: { label: 'Priority and ratio', about: 'Agents in order, each with its share of the calls' },
};

/** The strategies to choose from. */
export const STRATEGIES = STRATEGY_NAMES.map((name) => ({ value: name, ...TEXTS[name] }));

/** A strategy for people; one that this console doesn't know keeps its own name. */
export function strategyLabel(name: unknown): string {
  return STRATEGIES.find(({ value }) => value === name)?.label ?? String(name);
}

/** The settings that a strategy starts with. */
export function initialSettings(name: StrategyName): StrategySettings {
  switch (name) {
    case 'WEIGHTED_SCORE':
      return { name, weights: DEFAULT_WEIGHTS };
    case 'QUALITY':
      return { name, quality: DEFAULT_QUALITY };
    case 'CONSISTENT_HASH':
      return { name, spillPercent: DEFAULT_SPILL_PERCENT };
    case 'PRIORITY_RATIO':
      return { name, agents: [], fallback: [] };
    case 'LEAST_IN_FLIGHT':
    case 'LEAST_LOAD':
    case 'ROUND_ROBIN':
    case 'RANDOM':
      return { name };
    default:
      return name satisfies never;
  }
}

/** The draft with another strategy, which brings settings of its own. */
export function withStrategy(draft: PolicyDraft, name: StrategyName): PolicyDraft {
  return { ...draft, strategy: initialSettings(name) };
}
