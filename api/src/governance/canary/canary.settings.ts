import type { NamespaceModel } from '../../storage/generated/models.js';
import type { InputCheck } from '../input.js';

/** How a namespace tries new versions out. */
export interface CanarySettings {
  /** Whether a new version of an agent that has one in PRODUCTION starts in CANARY. */
  readonly enabled: boolean;
  /** Share of the calls that goes to canaries where no policy splits them, in percent. */
  readonly sharePercent: number;
  /** Time in ms with an instance that can take calls, after which a canary is promoted. */
  readonly promoteAfterMs: number;
  /** Calls that must have ended by then; 0: time alone. */
  readonly promoteMinCalls: number;
  /** Share of failed calls, in percent, over which it is returned to STAGING. */
  readonly maxErrorPercent: number;
}

/** What is absent stays, null gives back the usual. */
export type CanaryPatch = { readonly [K in keyof CanarySettings]?: CanarySettings[K] | null | undefined };

export const USUAL_CANARY: CanarySettings = {
  enabled: false,
  sharePercent: 5,
  promoteAfterMs: 120_000,
  promoteMinCalls: 0,
  maxErrorPercent: 10,
};

const MAX_PROMOTE_AFTER_MS = 604_800_000;
const MAX_PROMOTE_MIN_CALLS = 1_000_000;

export function checkCanary(check: InputCheck, path: string, patch: CanaryPatch | null | undefined): void {
  if (patch == null) return;
  check.number(`${path}.sharePercent`, patch.sharePercent, 0, 100);
  check.whole(`${path}.promoteAfterMs`, patch.promoteAfterMs, 1_000, MAX_PROMOTE_AFTER_MS);
  check.whole(`${path}.promoteMinCalls`, patch.promoteMinCalls, 0, MAX_PROMOTE_MIN_CALLS);
  check.number(`${path}.maxErrorPercent`, patch.maxErrorPercent, 0, 100);
}

/** The settings after a change; null gives back the usual ones. */
export function patchedCanary(before: CanarySettings, patch: CanaryPatch | null): CanarySettings {
  if (patch === null) return USUAL_CANARY;
  const after: Record<string, unknown> = { ...before };
  for (const name of Object.keys(USUAL_CANARY) as (keyof CanarySettings)[]) {
    if (patch[name] !== undefined) after[name] = patch[name] ?? USUAL_CANARY[name];
  }
  return after as unknown as CanarySettings;
}

type CanaryColumns = Pick<
  NamespaceModel,
  'canaryEnabled' | 'canarySharePercent' | 'canaryPromoteAfterMs' | 'canaryPromoteMinCalls' | 'canaryMaxErrorPercent'
>;

export function canaryOf(row: CanaryColumns): CanarySettings {
  return {
    enabled: row.canaryEnabled,
    sharePercent: row.canarySharePercent,
    promoteAfterMs: row.canaryPromoteAfterMs,
    promoteMinCalls: row.canaryPromoteMinCalls,
    maxErrorPercent: row.canaryMaxErrorPercent,
  };
}

export function canaryColumns(settings: CanarySettings): CanaryColumns {
  return {
    canaryEnabled: settings.enabled,
    canarySharePercent: settings.sharePercent,
    canaryPromoteAfterMs: settings.promoteAfterMs,
    canaryPromoteMinCalls: settings.promoteMinCalls,
    canaryMaxErrorPercent: settings.maxErrorPercent,
  };
}
