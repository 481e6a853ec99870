// `npm test`: everything that must hold, from a bare checkout, with one summary at the end.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { at } from './lib/checkout.mjs';
import { prepare } from './lib/prepare.mjs';

console.log('\n── Install and build ──\n');
await prepare();

const { check, playwright, vitest } = await import('./lib/suites.mjs');
const outputDir = mkdtempSync(join(tmpdir(), 'agent-reach-results-'));
const results = [
  await check('Format and lint', [at('node_modules/@biomejs/biome/bin/biome'), 'ci', at()]),
  await check('Types', [at('node_modules/typescript/bin/tsc'), '--build', at()]),
  await check('Types of the console', [at('node_modules/typescript/bin/tsc'), '--noEmit', '--project', at('console')]),
  await check('Import directions', [at('scripts/check-imports.mjs')]),
  await vitest(outputDir),
  await browserTests(),
];
rmSync(outputDir, { recursive: true });

console.log('\n── Summary ──\n');
for (const { name, passed, failed, skipped } of results) {
  const more = skipped > 0 ? `, ${skipped} skipped` : '';
  console.log(`  ${failed === 0 ? '✓' : '✗'} ${name}: ${passed} passed, ${failed} failed${more}`);
}
const sum = (key) => results.reduce((total, result) => total + result[key], 0);
console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`);
process.exit(sum('failed') === 0 ? 0 : 1);

async function browserTests() {
  const { ensureChromium } = await import('./lib/chromium.mjs');
  try {
    return await playwright(outputDir, await ensureChromium());
  } catch (error) {
    console.error(`\n${error.message}`);
    return { name: 'Browser tests', passed: 0, failed: 1, skipped: 0 };
  }
}
