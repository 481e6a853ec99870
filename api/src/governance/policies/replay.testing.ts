import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import { CHECKOUT } from '../../settings.js';

/** A module that threads can run. */
export interface BundledWorker {
  readonly url: URL;
  remove(): void;
}

/**
 * Makes one JavaScript file out of a worker's TypeScript and of what it imports, sources of the SDK included: threads
 * don't go through Vitest's transform, and a test must not run against an older build. For tests only.
 */
export async function bundleWorker(entry: URL): Promise<BundledWorker> {
  const outDir = mkdtempSync(join(tmpdir(), 'agent-reach-worker-'));
  await build({
    configFile: false,
    logLevel: 'error',
    root: CHECKOUT,
    resolve: {
      alias: [{ find: /^@agent-reach\/sdk\/(protocol|decide)$/, replacement: join(CHECKOUT, 'sdk/src/$1/index.ts') }],
    },
    ssr: { noExternal: true },
    build: {
      ssr: entry.pathname,
      outDir,
      emptyOutDir: false,
      target: 'node20',
      minify: false,
      rolldownOptions: { output: { entryFileNames: 'worker.mjs' } },
    },
  });
  return {
    url: pathToFileURL(join(outDir, 'worker.mjs')),
    remove: () => rmSync(outDir, { recursive: true, force: true }),
  };
}
