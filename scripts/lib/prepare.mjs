import { checkNode } from './checkout.mjs';
import { StepError } from './step.mjs';

/**
 * Installs and builds what is missing or old; ends the process with status 1 when that fails.
 *
 * @param {{ onlyProduct?: boolean }} [options] without the programs of e2e/
 */
export async function prepare(options) {
  checkNode();
  try {
    const { ensureInstalled } = await import('./install.mjs');
    await ensureInstalled();
    const { build } = await import('./build.mjs');
    await build(options);
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    process.exit(1);
  }
}
