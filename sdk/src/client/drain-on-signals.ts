/**
 * Drains on a signal, then ends the process the way that signal ends it. When the program listens to the signal too,
 * ending is left to the program. Answers how to stop listening.
 */
export function drainOnSignals(signals: readonly NodeJS.Signals[], drain: () => Promise<void>): () => void {
  const listeners = signals.map((signal) => {
    const listener = (): void => {
      void drain().finally(() => {
        process.removeListener(signal, listener);
        if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
      });
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  return () => {
    for (const { signal, listener } of listeners) process.removeListener(signal, listener);
  };
}
