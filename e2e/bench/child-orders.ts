import type { Answer, Measured } from './messages.js';

/** Makes this process carry out the orders of its parent, one after the other, and end with it. */
export function takeOrders<O, M = Measured>(carryOut: (order: O) => Promise<M | undefined>): void {
  process.on('message', (order) => {
    carryOut(order as O)
      .then(
        (measured): Answer<M> => (measured === undefined ? { ok: true } : { ok: true, measured }),
        (error: unknown): Answer<M> => ({ ok: false, error: error instanceof Error ? error.message : String(error) }),
      )
      .then((answer) => process.send?.(answer))
      .catch((error: unknown) => console.error(error));
  });
  process.on('disconnect', () => process.exit(0));
  // Ctrl-C reaches the whole group; the parent ends its children in order.
  process.on('SIGINT', () => undefined);
}
