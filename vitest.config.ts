import { createRequire } from 'node:module';
import { defineConfig } from 'vitest/config';

const require = createRequire(import.meta.url);

const source = (part: string): string => `${import.meta.dirname}/sdk/src/${part}/index.ts`;

export default defineConfig({
  resolve: {
    alias: [
      // Loaded as CommonJS by one package and as a module by another, graphql refuses its own types.
      { find: /^graphql$/, replacement: require.resolve('graphql/index.js') },
      { find: /^@\//, replacement: `${import.meta.dirname}/console/src/` },
      // The sources, so that a test never runs against an older build.
      { find: /^@agent-reach\/sdk$/, replacement: source('client') },
      { find: /^@agent-reach\/sdk\/(protocol|decide)$/, replacement: source('$1') },
    ],
  },
  test: {
    include: ['{sdk,api,console}/**/*.test.{ts,tsx}', 'e2e/{conformance,faults}/**/*.test.ts', 'scripts/**/*.test.mjs'],
    exclude: ['**/node_modules/**', '**/dist/**', '**/.next/**'],
    globalSetup: ['api/src/storage/testing-server.ts'],
    // Each file has its own process and its own database; a few at a time keep a small machine responsive.
    maxWorkers: 3,
    testTimeout: 15_000,
    hookTimeout: 120_000,
  },
});
