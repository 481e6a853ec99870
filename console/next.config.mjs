import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** @type {import('next').NextConfig} */
export default {
  // Types are checked by `tsc -p console`: Next's own check needs the JavaScript API that TypeScript 7 no longer has.
  typescript: { ignoreBuildErrors: true },
  // Modules are found from the workspace root, where npm hoists them.
  turbopack: { root: dirname(here) },
  outputFileTracingRoot: dirname(here),
  poweredByHeader: false,
  reactStrictMode: true,
  devIndicators: false,
};
