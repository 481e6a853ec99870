import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { LAYERS, layerOf, PACKAGES } from './import-rules.mjs';

const IMPORT = /(?:^|[\s;}])(?:import|export)\s(?:[^'"`;]*?\sfrom\s*)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/g;

/**
 * The imports of a source text that run against the rules.
 *
 * @param {string} path in the checkout, with forward slashes
 * @param {string} source
 * @returns {{ line: number, imported: string, rule: string }[]}
 */
export function wrongImports(path, source) {
  const from = layerOf(path);
  if (from === undefined) return [];
  return importsOf(source).flatMap(({ line, imported }) => {
    const rule = ruleAgainst(from, path, imported);
    return rule === undefined ? [] : [{ line, imported, rule }];
  });
}

/** All wrong imports of the checkout at `root`, as `file:line: …`. Tests may use whatever they test with. */
export function checkCheckout(root) {
  return LAYERS.map(({ path }) => path.split('/')[0])
    .filter((directory, index, all) => all.indexOf(directory) === index)
    .flatMap((directory) => sourcesIn(root, directory))
    .flatMap((path) =>
      wrongImports(path, readFileSync(join(root, path), 'utf8')).map(
        ({ line, imported, rule }) => `${path}:${line}: imports ${imported}: ${rule}`,
      ),
    );
}

function importsOf(source) {
  // Comments become blanks of the same lines, so that an example in a comment is no import.
  const code = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, ' '));
  return [...code.matchAll(IMPORT)].map((match) => {
    const imported = match[1] ?? match[2];
    const end = match.index + match[0].length;
    return { line: code.slice(0, end).split('\n').length, imported };
  });
}

function ruleAgainst(from, path, imported) {
  if (!imported.startsWith('.') && PACKAGES[imported] === undefined) {
    if (imported.startsWith('@agent-reach/')) return 'no such way into that package';
    return from.packages?.test(imported) ? `${from.layer} must not use it (${from.why})` : undefined;
  }
  const target = imported.startsWith('.') ? normalize(join(dirname(path), imported)).replaceAll('\\', '/') : undefined;
  const to = target === undefined ? LAYERS.find(({ layer }) => layer === PACKAGES[imported]) : layerOf(target);
  if (to === undefined || to.layer === from.layer || from.imports === 'ALL') return undefined;
  return from.imports.includes(to.layer) ? undefined : `${from.layer} must not import ${to.layer} (${from.why})`;
}

function sourcesIn(root, directory) {
  return readdirSync(join(root, directory), { withFileTypes: true }).flatMap((entry) => {
    const path = `${directory}/${entry.name}`;
    if (['node_modules', 'dist', '.next', 'generated'].includes(entry.name)) return [];
    if (entry.isDirectory()) return sourcesIn(root, path);
    const isSource = /\.(m?ts|tsx|mjs)$/.test(entry.name) && !/\.test\.|\.d\.ts$|^testing/.test(entry.name);
    return isSource ? [path] : [];
  });
}
