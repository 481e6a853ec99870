import { join } from 'node:path';
import { type DestinationStream, type Logger, multistream, pino, type StreamEntry } from 'pino';
import type { Settings } from '../settings.js';
import { LineBuffer } from './line-buffer.js';
import { RotatingFile } from './rotating-file.js';

/** Writes JSON lines; `child({ requestId })` adds fields to each. */
export type Log = Logger;

/** Where log lines go. */
export interface OpenedLog {
  readonly log: Log;
  /** The file that holds all of it; undefined when all goes to stderr. */
  readonly file: string | undefined;
  /** Writes what is buffered. Nothing logged later is sure to be written. */
  close(): void;
}

/**
 * JSON lines on stderr. In a terminal, where a person wants to see what matters, they go to `logs/reach.log` in the data
 * directory instead, and only warnings and errors are shown, in a short form.
 */
export function openLog(
  settings: Pick<Settings, 'logLevel' | 'dataDir'>,
  terminal: { readonly isTTY: boolean; write(text: string): unknown },
): OpenedLog {
  if (!terminal.isTTY) {
    const buffer = new LineBuffer((text) => terminal.write(text));
    return { log: makeLog(settings.logLevel, buffer), file: undefined, close: () => buffer.flush() };
  }
  const file = join(settings.dataDir, 'logs/reach.log');
  const rotating = new RotatingFile(file);
  const buffer = new LineBuffer((text) => rotating.write(text));
  const streams: StreamEntry[] = [
    { level: settings.logLevel, stream: buffer },
    { level: 'warn', stream: { write: (line: string) => void terminal.write(forPeople(line)) } },
  ];
  const close = (): void => {
    buffer.flush();
    rotating.close();
  };
  return { log: makeLog(settings.logLevel, multistream(streams)), file, close };
}

// The stream must be pino's own where there are several: it learns each line's level from pino.
function makeLog(level: Settings['logLevel'], stream: DestinationStream): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      // A second fence; no code logs them on purpose.
      redact: ['token', 'password', 'authorization', 'cookie', '*.token', '*.password', '*.authorization', '*.cookie'],
    },
    stream,
  );
}

function forPeople(line: string): string {
  const { level, time, msg, err, reason } = JSON.parse(line) as Record<string, unknown>;
  const cause = reason ?? (typeof err === 'object' && err !== null && 'message' in err ? err.message : undefined);
  const clock = String(time).slice(11, 19);
  return `  ${clock} ${String(level).toUpperCase()} ${String(msg ?? '')}${cause === undefined ? '' : `: ${String(cause)}`}\n`;
}
