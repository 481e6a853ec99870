/**
 * Tells the process that started this one what happened, or a person when nobody did.
 *
 * @param {{ type: 'listening', url: string } | { type: 'failed', code: string, message: string }} message
 * @returns {Promise<void>} resolved when the message has left, so that the process may exit
 */
export function tell(message) {
  if (process.send === undefined) {
    if (message.type === 'listening') console.log(`The console listens on ${message.url}`);
    else console.error(`The console could not start: ${message.message}`);
    return Promise.resolve();
  }
  return new Promise((resolve) => {
    process.send(message, () => resolve());
  });
}

/** Calls `stop` when the parent dies, however it died: the channel to it then closes. */
export function whenParentLeaves(stop) {
  process.on('disconnect', stop);
}
