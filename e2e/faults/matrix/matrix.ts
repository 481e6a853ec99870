import { table } from '../../bench/report.js';
import { agentScene } from './agent-scene.js';
import { databaseScene } from './database-scene.js';
import type { Row } from './row.js';
import type { Chosen } from './scene.js';
import { serverLoadScene } from './server-load-scene.js';
import { serverScene } from './server-scene.js';
import { storedScene } from './stored-scene.js';

export interface Matrix {
  readonly rows: readonly Row[];
  /** Scenes that could not be run to their end, and so gave no rows. */
  readonly failures: readonly unknown[];
}

/** Runs the chosen rows of the matrix, all scenes at once. */
export async function runMatrix(chosen: Chosen = () => true): Promise<Matrix> {
  const scenes = [agentScene, serverScene, serverLoadScene, storedScene, databaseScene];
  const runs = await Promise.allSettled(scenes.map((scene) => scene.run(chosen)));
  return {
    rows: runs.flatMap((run) => (run.status === 'fulfilled' ? run.value : [])),
    failures: runs.flatMap((run) => (run.status === 'rejected' ? [run.reason] : [])),
  };
}

/** The matrix as people read it, with what breaks its rules below. */
export function describeMatrix(rows: readonly Row[]): string {
  const headings = ['fault', 'agent', 'idempotent', 'calls', 'executed', 'twice', 'answers', 'repeated', 'rules'];
  const cells = rows.map((row) => [
    row.fault,
    row.transport === 'HTTP' ? 'HTTP' : 'WebSocket',
    row.idempotent ? 'yes' : 'no',
    String(row.calls),
    String(row.executions),
    String(row.duplicates),
    counts(row.answers),
    counts(row.repeated),
    row.broken.length === 0 ? 'kept' : 'BROKEN',
  ]);
  const broken = rows.flatMap((row) =>
    row.broken.map(
      (rule) => `${row.fault}, ${row.transport}, ${row.idempotent ? 'idempotent' : 'not idempotent'}: ${rule}`,
    ),
  );
  return [table(headings, cells), ...(broken.length === 0 ? [] : ['', ...broken])].join('\n');
}

const counts = (of: ReadonlyMap<string, number>): string =>
  of.size === 0 ? '-' : [...of].map(([answer, count]) => `${answer} ${count}`).join(', ');
