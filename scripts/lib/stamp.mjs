import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { CHECKOUT } from './checkout.mjs';

/** Rewritten by `next build`. */
const OWN_WAY = /console[\\/]tsconfig\.json$/;

const SKIPPED = new Set(['node_modules', 'dist', '.next', 'generated', 'test-results', 'playwright-report']);

/**
 * Hash of the names and contents of files and directories; what builds write is left out.
 *
 * @param {string[]} paths
 */
export function hashOf(paths) {
  const hash = createHash('sha256').update(process.version);
  for (const file of paths.flatMap(filesIn)) hash.update(`\0${relative(CHECKOUT, file)}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

function filesIn(path) {
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => !SKIPPED.has(name) && !/\.tsbuildinfo$|\.test\.tsx?$|^next-env\.d\.ts$/.test(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .filter((entry) => (entry.isFile() || entry.isDirectory()) && !OWN_WAY.test(join(path, entry.name)))
    .flatMap((entry) => filesIn(join(path, entry.name)));
}

/** The stamp lies in the output that it vouches for, so that deleting the output deletes it too. */
const stampIn = (output) => join(output, '.sources.sha256');

export function isUpToDate(output, hash) {
  return existsSync(stampIn(output)) && readFileSync(stampIn(output), 'utf8') === hash;
}

export function stamp(output, hash) {
  writeFileSync(stampIn(output), hash);
}
