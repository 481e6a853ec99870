import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { at, CHECKOUT } from './checkout.mjs';

const node = process.execPath;

/**
 * What a suite came to. A check without tests of its own counts as one.
 *
 * @typedef {{ name: string, passed: number, failed: number, skipped: number }} SuiteResult
 */

/** Runs a program that is right or wrong as a whole. @returns {Promise<SuiteResult>} */
export async function check(name, args) {
  const status = await run(name, args);
  return { name, passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, skipped: 0 };
}

/** Unit and integration tests. @returns {Promise<SuiteResult>} */
export async function vitest(outputDir) {
  const name = 'Unit and integration tests';
  const file = join(outputDir, 'vitest.json');
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const status = await run(name, [at('node_modules/vitest/vitest.mjs'), ...args]);
  const report = readReport(file);
  // A suite that could not be loaded has no tests to count, and a failing set-up none at all.
  const brokenSuites = report?.testResults.filter(
    (suite) => suite.status === 'failed' && suite.assertionResults.length === 0,
  );
  const failed = (report?.numFailedTests ?? 0) + (brokenSuites?.length ?? 0);
  return {
    name,
    passed: report?.numPassedTests ?? 0,
    failed: status === 0 ? failed : Math.max(failed, 1),
    skipped: report?.numPendingTests ?? 0,
  };
}

/** Browser tests. @returns {Promise<SuiteResult>} */
export async function playwright(outputDir, chromium) {
  const name = 'Browser tests';
  const file = join(outputDir, 'playwright.json');
  const args = ['test', '--config', at('e2e/playwright.config.ts'), '--reporter=list,json'];
  const env = { REACH_CHROMIUM: chromium, PLAYWRIGHT_JSON_OUTPUT_NAME: file };
  const status = await run(name, [at('node_modules/@playwright/test/cli.js'), ...args], env);
  const stats = readReport(file)?.stats;
  const failed = stats?.unexpected ?? 0;
  return {
    name,
    passed: (stats?.expected ?? 0) + (stats?.flaky ?? 0),
    failed: status === 0 ? failed : Math.max(failed, 1),
    skipped: stats?.skipped ?? 0,
  };
}

function readReport(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined;
}

function run(title, args, env = {}) {
  console.log(`\n── ${title} ──\n`);
  return new Promise((resolve) => {
    const child = spawn(node, args, {
      cwd: CHECKOUT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.once('error', (error) => {
      console.error(error.message);
      resolve(1);
    });
    child.once('close', (code) => resolve(code ?? 1));
  });
}
