// Fails when an import runs against the directions between the parts; they are declared in lib/import-rules.mjs.
import { CHECKOUT } from './lib/checkout.mjs';
import { checkCheckout } from './lib/imports.mjs';

const faults = checkCheckout(CHECKOUT);
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exit(1);
