import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The checkout's root. */
export const CHECKOUT = resolve(dirname(fileURLToPath(import.meta.url)), '../..');

/** An absolute path in the checkout. */
export const at = (...parts) => join(CHECKOUT, ...parts);

/** Ends with a sentence when Node is too old for what follows. */
export function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  console.error(`Agent-Reach needs Node 20.19 or later; this is ${process.versions.node}.`);
  process.exit(1);
}
