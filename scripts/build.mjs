// `npm run build`: installs and builds what is missing or old.
import { prepare } from './lib/prepare.mjs';

await prepare();
