import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FieldFault, ReachError } from '@agent-reach/sdk/protocol';
import { parse as parseYaml } from 'yaml';
import type { SettingDefinition } from './definition.js';
import { SETTINGS, type Settings } from './table.js';

/** The checkout's root, to which relative paths of settings refer. */
export const CHECKOUT = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

/** Where settings come from. The environment wins over the file. */
export interface SettingSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Text of `reach.yaml`; undefined when there is none. */
  readonly yaml?: string | undefined;
  /** Directory to which relative paths refer. */
  readonly baseDir: string;
}

/**
 * Reads the settings from the environment and from `reach.yaml` (or the file that REACH_CONFIG names).
 * @throws ReachError INVALID_INPUT with every fault in `fields`.
 */
export function loadSettings(env: Readonly<Record<string, string | undefined>> = process.env): Settings {
  const named = env.REACH_CONFIG;
  const file = resolve(CHECKOUT, named ?? 'reach.yaml');
  return readSettings({ env, yaml: readText(file, named !== undefined), baseDir: CHECKOUT });
}

/**
 * Reads and checks settings; all faults are reported at once.
 * @throws ReachError INVALID_INPUT with every fault in `fields`.
 */
export function readSettings(sources: SettingSources): Settings {
  const faults: FieldFault[] = [];
  const fileValues = readYaml(sources.yaml, faults);
  const entries = Object.entries(SETTINGS).map(([key, definition]) => [
    key,
    readOne(definition, sources.env[definition.env], fileValues.get(key), key, faults),
  ]);
  if (faults.length > 0) throw new ReachError('INVALID_INPUT', describeFaults(faults), { fields: faults });
  // Every key of the table was read by its own parser, so the entries have the table's types.
  const settings = Object.fromEntries(entries) as Settings;
  return { ...settings, dataDir: resolve(sources.baseDir, settings.dataDir) };
}

function readOne(
  definition: SettingDefinition<unknown>,
  fromEnv: string | undefined,
  fromFile: string | undefined,
  key: string,
  faults: FieldFault[],
): unknown {
  // An empty variable counts as absent: that is how shells and compose files pass on what is not set.
  const inEnv = fromEnv !== undefined && fromEnv !== '';
  const text = inEnv ? fromEnv : (fromFile ?? definition.fallback);
  if (text === undefined) return undefined;
  const parsed = definition.parse(text);
  if (parsed.ok) return parsed.value;
  faults.push({
    path: inEnv ? definition.env : `${definition.env} (${key} in reach.yaml)`,
    got: definition.secret ? `a secret of ${text.length} characters` : JSON.stringify(text),
    allowed: definition.allowed,
  });
  return undefined;
}

/** The file's values as text; lists become comma-separated. Unknown keys are faults, so that a misspelling is noticed. */
function readYaml(yaml: string | undefined, faults: FieldFault[]): Map<string, string> {
  const values = new Map<string, string>();
  if (yaml === undefined) return values;
  const document = parseDocument(yaml, faults);
  for (const [key, value] of Object.entries(document)) {
    if (!Object.hasOwn(SETTINGS, key)) {
      faults.push({
        path: `${key} in reach.yaml`,
        got: 'an unknown key',
        allowed: `one of ${Object.keys(SETTINGS).join(', ')}`,
      });
    } else if (value !== null) {
      values.set(key, Array.isArray(value) ? value.map(String).join(',') : String(value));
    }
  }
  return values;
}

function parseDocument(yaml: string, faults: FieldFault[]): Record<string, unknown> {
  const allowed = 'YAML with one setting a line, such as "port: 4000"';
  try {
    const document: unknown = parseYaml(yaml) ?? {};
    if (typeof document === 'object' && document !== null && !Array.isArray(document)) {
      return document as Record<string, unknown>;
    }
    faults.push({ path: 'reach.yaml', got: Array.isArray(document) ? 'a list' : typeof document, allowed });
  } catch (error) {
    // The first line only: the rest of a YAML error quotes the file, which may hold secrets.
    const [reason = 'unreadable'] = String(error instanceof Error ? error.message : error).split('\n');
    faults.push({ path: 'reach.yaml', got: reason, allowed });
  }
  return {};
}

function readText(file: string, required: boolean): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (!required && error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ReachError('INVALID_INPUT', `The settings file cannot be read: ${reason}`, {
      fields: [{ path: 'REACH_CONFIG', got: reason, allowed: 'a readable file' }],
      cause: error,
    });
  }
}

function describeFaults(faults: readonly FieldFault[]): string {
  const lines = faults.map(({ path, got, allowed }) => `  ${path}: got ${got}; allowed: ${allowed}`);
  return [`${faults.length === 1 ? 'A setting is' : `${faults.length} settings are`} wrong:`, ...lines].join('\n');
}
