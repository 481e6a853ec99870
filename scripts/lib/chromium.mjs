import { execFileSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { at } from './checkout.mjs';
import { step } from './step.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * Finds a Chromium for the browser tests: REACH_CHROMIUM, one that is installed, Playwright's own, or the one that
 * Debian has. Returns the path of its program.
 *
 * @returns {Promise<string>}
 * @throws {Error} that says how to get one
 */
export async function ensureChromium() {
  const found = process.env.REACH_CHROMIUM || installed() || (await playwrights());
  if (found) return found;
  const ways = [
    [
      'Downloading Chromium with Playwright',
      [process.execPath, at('node_modules/@playwright/test/cli.js'), 'install', 'chromium'],
    ],
    ...(process.getuid?.() === 0
      ? [
          ['Reading the list of packages', ['apt-get', 'update', '-q']],
          [
            'Installing Chromium with apt-get',
            ['apt-get', 'install', '-y', '-q', '--no-install-recommends', 'chromium'],
          ],
        ]
      : []),
  ];
  for (const [title, command] of ways) {
    try {
      await step(title, command, { env: { DEBIAN_FRONTEND: 'noninteractive' } });
    } catch {
      // The next way may do; `step` has shown why this one did not.
    }
    const browser = installed() || (await playwrights());
    if (browser) return browser;
  }
  throw new Error('The browser tests need Chromium: install it, or name its program with REACH_CHROMIUM.');
}

function installed() {
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin', '/usr/local/bin'];
  return directories.flatMap((directory) => NAMES.map((name) => join(directory, name))).find(isProgram);
}

/** Playwright's own, where it was downloaded and can run: a download alone does not bring the system's libraries. */
async function playwrights() {
  const { chromium } = await import('@playwright/test');
  const path = chromium.executablePath();
  if (!path || !existsSync(path)) return undefined;
  try {
    execFileSync(path, ['--version'], { stdio: 'ignore' });
    return path;
  } catch {
    return undefined;
  }
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
