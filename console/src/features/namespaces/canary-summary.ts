import { duration } from '@/ui/format';
import type { CanarySettings } from './namespaces.operations';

/** In a sentence, how a namespace tries new versions out. */
export function canarySummary(canary: CanarySettings): string {
  if (!canary.enabled) return 'New versions start in production';
  const { sharePercent, promoteAfterMs, promoteMinCalls, maxErrorPercent } = canary;
  const calls = promoteMinCalls === 0 ? '' : ` and ${promoteMinCalls} calls`;
  return `New versions get ${sharePercent} % of the calls for ${duration(promoteAfterMs)}${calls}; ${maxErrorPercent} % may fail`;
}
