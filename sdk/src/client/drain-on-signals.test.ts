import { expect, test } from 'vitest';
import { drainOnSignals } from './drain-on-signals.js';

test('drains on the signal, once, and leaves the end to a program that listens too', async () => {
  // With this listener the process would survive a real signal as well.
  const own = (): void => undefined;
  process.on('SIGUSR2', own);
  let drains = 0;
  let drained: () => void = () => undefined;
  const done = new Promise<void>((resolve) => {
    drained = resolve;
  });
  drainOnSignals(['SIGUSR2'], async () => {
    drains += 1;
    drained();
  });
  process.emit('SIGUSR2');
  await done;
  await new Promise((resolve) => setImmediate(resolve));
  expect(drains).toBe(1);
  expect(process.listeners('SIGUSR2')).toEqual([own]);
  process.removeListener('SIGUSR2', own);
});

test('stops listening when told to', () => {
  const before = process.listenerCount('SIGUSR2');
  const stop = drainOnSignals(['SIGUSR2'], () => Promise.resolve());
  expect(process.listenerCount('SIGUSR2')).toBe(before + 1);
  stop();
  expect(process.listenerCount('SIGUSR2')).toBe(before);
});
