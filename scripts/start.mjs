// `npm start`: installs and builds what is missing, then runs the server in this process.
import { prepare } from './lib/prepare.mjs';

/** How soon the end of npm is noticed. */
const WATCH_MS = 250;

await prepare({ onlyProduct: true });
if (process.env.npm_lifecycle_event !== undefined) stopWithNpm();
await import('../api/dist/main.js');

/** npm passes SIGTERM on to the shell between it and this process; the shell ends and passes nothing on. */
function stopWithNpm() {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, WATCH_MS);
  timer.unref();
}
