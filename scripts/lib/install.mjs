import { readFileSync } from 'node:fs';
import { at } from './checkout.mjs';
import { step } from './step.mjs';

/** Installs the packages when what is installed is not what package-lock.json says. */
export async function ensureInstalled() {
  if (isInstalled()) return;
  console.log('\n  Installing the packages that package-lock.json names. This happens once, and again only when they');
  console.log('  change; on a fresh machine it takes a minute or two.\n');
  // Scripts of packages are left out: all that they would do is download programs that are not needed here.
  const flags = [
    '--include=dev',
    '--include=optional',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  await step('npm ci', [...npm(), 'ci', ...flags]);
}

/** npm as it runs this script, else the one that lies beside Node. */
function npm() {
  const path = process.env.npm_execpath;
  return path?.endsWith('.js') && path.includes('npm') ? [process.execPath, path] : ['npm'];
}

/**
 * Compares package-lock.json with npm's own record of what it installed, which it writes last: an install that was
 * interrupted does not count.
 */
function isInstalled() {
  const wanted = readPackages(at('package-lock.json'));
  const present = readPackages(at('node_modules/.package-lock.json'));
  if (wanted === undefined || present === undefined) return false;
  return Object.entries(wanted).every(([path, { version, optional, link }]) => {
    if (path === '' || link) return true;
    const found = present[path];
    // Optional ones are for other platforms where they are absent.
    return found === undefined ? optional === true : found.version === version;
  });
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch {
    return undefined;
  }
}
