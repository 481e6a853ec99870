import type { UrlState } from '@/ui/url-state';
import { AUDIT_KINDS, type AuditFilter } from './audit.operations';

/** The presets of the time range, each with its length in milliseconds. */
export const RANGES: readonly { readonly name: string; readonly label: string; readonly ms: number }[] = [
  { name: '15m', label: 'Last 15 minutes', ms: 900_000 },
  { name: '1h', label: 'Last hour', ms: 3_600_000 },
  { name: '24h', label: 'Last 24 hours', ms: 86_400_000 },
  { name: '7d', label: 'Last 7 days', ms: 604_800_000 },
  { name: '30d', label: 'Last 30 days', ms: 2_592_000_000 },
];

export const DEFAULT_RANGE = '24h';

/** Parameters of the address that hold a filter of the audit. */
export const AUDIT_PARAMS = [
  'kind',
  'caller',
  'target',
  'capability',
  'outcome',
  'request',
  'trace',
  'from',
  'to',
] as const;

/** Removes every filter, the time range, and the page with it. */
export const NO_AUDIT_FILTER: Readonly<Record<string, null>> = Object.fromEntries(
  [...AUDIT_PARAMS, 'range', 'after', 'before'].map((name) => [name, null]),
);

/**
 * The filter that the address holds. A preset counts back from `now` (ms since 1970); `from` or `to` in the address make
 * a custom range that stands still.
 */
export function readAuditFilter(url: Pick<UrlState, 'get' | 'list'>, now: number): AuditFilter {
  const kinds = AUDIT_KINDS.filter((kind) => url.list('kind').includes(kind));
  const custom = { from: isoOf(url.get('from')), to: isoOf(url.get('to')) };
  const range = RANGES.find(({ name }) => name === (url.get('range') ?? DEFAULT_RANGE));
  const from =
    custom.from ??
    (custom.to === undefined && range !== undefined && url.get('request') === undefined
      ? new Date(now - range.ms).toISOString()
      : undefined);
  const filter = {
    kinds: kinds.length === 0 ? undefined : kinds,
    from,
    to: custom.to,
    caller: url.get('caller'),
    target: url.get('target'),
    capability: url.get('capability'),
    outcome: url.get('outcome'),
    requestId: url.get('request'),
    traceId: url.get('trace'),
  };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

function isoOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
