// Runs a built module with the remaining arguments, after installing and building what is missing:
// node scripts/run.mjs e2e/dist/bench/main.js --seconds 5
import { pathToFileURL } from 'node:url';
import { at } from './lib/checkout.mjs';
import { prepare } from './lib/prepare.mjs';

const [module, ...rest] = process.argv.slice(2);
if (module === undefined) {
  console.error('Usage: node scripts/run.mjs <built module> [arguments]');
  process.exit(1);
}
await prepare();
process.argv = [process.execPath, at(module), ...rest];
await import(pathToFileURL(at(module)).href);
