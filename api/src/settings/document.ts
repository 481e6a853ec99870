import type { SettingDefinition } from './definition.js';
import { SETTINGS } from './table.js';

/** The table of settings as Markdown; docs/OPERATIONS.md holds exactly this, and a test compares them. */
export function settingsTable(): string {
  const rows = Object.entries(SETTINGS).map(([key, definition]) => row(key, definition));
  return ['| variable | in `reach.yaml` | default | allowed | meaning |', '|---|---|---|---|---|', ...rows].join('\n');
}

function row(key: string, definition: SettingDefinition<unknown>): string {
  const fallback =
    definition.fallbackNote ?? (definition.fallback === undefined ? 'none' : `\`${definition.fallback}\``);
  return `| \`${definition.env}\` | \`${key}\` | ${fallback} | ${definition.allowed} | ${definition.meaning} |`;
}
