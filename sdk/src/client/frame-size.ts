import { ReachError } from '../protocol/index.js';

/** Whether a text is over a limit in UTF-8 bytes; counts only when its length leaves a doubt. */
export function isOver(text: string, maxBytes: number): boolean {
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}

/** The error for a frame that the server would not take. */
export function tooLarge(what: string, text: string, maxBytes: number): ReachError {
  const got = `${Buffer.byteLength(text)} bytes`;
  return new ReachError('PAYLOAD_TOO_LARGE', `${what} is a frame of ${got}, allowed are ${maxBytes}`, {
    fields: [{ path: what, got, allowed: `at most ${maxBytes} bytes` }],
  });
}
