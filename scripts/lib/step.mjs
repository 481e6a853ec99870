import { spawn } from 'node:child_process';
import { CHECKOUT } from './checkout.mjs';

/** How often a step that prints nothing says that it is still at work. */
const SIGN_OF_LIFE_MS = 10_000;

/** A step failed; its output has been shown. */
export class StepError extends Error {}

/**
 * Runs a command as one step of several: prints what is done, that it is still being done, and how long it took. Its own
 * output is shown only when it fails, unless `showOutput`.
 *
 * @param {string} title what it does, for a person
 * @param {string[]} command program and arguments
 * @param {{ env?: Record<string, string>, cwd?: string, showOutput?: boolean }} [options]
 * @returns {Promise<void>}
 * @throws {StepError} when it fails
 */
export async function step(title, [program, ...args], options = {}) {
  const started = performance.now();
  const seconds = () => ((performance.now() - started) / 1000).toFixed(1);
  console.log(`  … ${title}`);
  const timer = setInterval(() => console.log(`    … still at it, ${Math.round(seconds())} s`), SIGN_OF_LIFE_MS);
  try {
    const { status, output } = await run(program, args, options);
    if (status === 0) {
      console.log(`  ✓ ${title} (${seconds()} s)`);
      return;
    }
    if (!options.showOutput) process.stderr.write(output);
    console.error(`  ✗ ${title}: ended with ${status}`);
    throw new StepError(title);
  } finally {
    clearInterval(timer);
  }
}

function run(program, args, { env, cwd = CHECKOUT, showOutput = false }) {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: showOutput ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
    });
    const chunks = [];
    child.stdout?.on('data', (chunk) => chunks.push(chunk));
    child.stderr?.on('data', (chunk) => chunks.push(chunk));
    child.once('error', (error) => resolve({ status: error.message, output: '' }));
    child.once('close', (code, signal) =>
      resolve({ status: code ?? signal, output: Buffer.concat(chunks).toString() }),
    );
  });
}
