import { startServer } from './server.js';
import { run } from './startup/run.js';

await run(startServer);
