import type { MissingRule, RuleLink } from '../execute/calls/failures.js';
import type { Settings } from '../settings.js';

/** Makes links to the console's form for a missing permission rule, filled in. */
export function permissionLink(settings: Pick<Settings, 'publicUrl' | 'host' | 'consolePort'>): RuleLink {
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  const base = settings.publicUrl ?? `http://${host}:${settings.consolePort}`;
  return ({ caller, target, capability }: MissingRule) => {
    const namespace = target.slice(0, target.indexOf('/'));
    const query = new URLSearchParams({ ns: namespace, add: '1', caller, target, capability });
    return `${base}/permissions?${query}`;
  };
}
