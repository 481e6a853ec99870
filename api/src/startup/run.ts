import { ReachError } from '@agent-reach/sdk/protocol';
import type { Log } from '../telemetry/log.js';
import { openScreen, type Screen } from './screen.js';
import { type StartServer, startAll } from './start-all.js';
import { StopOrder } from './stop-order.js';

/** A terminal and npm may both pass on one Ctrl-C; a second one counts as such only after this time. */
const SAME_SIGNAL_MS = 500;

/**
 * Starts everything and stops it in the reverse order at SIGINT, SIGTERM or SIGHUP. A start that fails says why in plain
 * words, stops what runs already and exits with status 1.
 */
export async function run(startServer: StartServer): Promise<void> {
  const screen = openScreen(process.stdout);
  const parts = new StopOrder((part, error) => screen.line(`  ${part} did not stop cleanly: ${String(error)}`));
  const stopping = new AbortController();

  const onFault = (log: Log, error: unknown): void => {
    log.fatal({ err: error }, 'a fault after which the server cannot go on; it stops');
    if (stopping.signal.aborted) return;
    stopping.abort();
    void started.then(() => end(parts, 1));
  };
  const started = startAll({ startServer, parts, screen, signal: stopping.signal, onFault }).then(
    () => {},
    async (error: unknown) => {
      // Then whoever asked to stop ends the process.
      if (stopping.signal.aborted) return;
      process.stderr.write(`\nAgent-Reach did not start.\n${explain(error)}\n\n`);
      await end(parts, 1);
    },
  );
  stopOnSignals(parts, screen, stopping, started);
  await started;
}

function stopOnSignals(parts: StopOrder, screen: Screen, stopping: AbortController, started: Promise<void>): void {
  let since: number | undefined;
  const onSignal = (): void => {
    if (since === undefined) {
      since = performance.now();
      screen.line('\n  Stopping; running calls may finish. Ctrl-C again ends at once.');
      stopping.abort();
      // A part that is just starting is waited for, so that it is not left behind.
      void started
        .then(() => parts.stop())
        .then(() => {
          screen.line('  Stopped.\n');
          process.exit(0);
        });
    } else if (performance.now() - since > SAME_SIGNAL_MS) {
      parts.kill();
      process.exit(130);
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
}

async function end(parts: StopOrder, status: number): Promise<void> {
  await parts.stop();
  process.exit(status);
}

function explain(error: unknown): string {
  if (error instanceof ReachError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
