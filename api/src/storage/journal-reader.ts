import { open } from 'node:fs/promises';
import type { AuditRecord } from '@agent-reach/sdk/protocol';
import { MAX_LINE_BYTES } from './journal-line.js';

/** A stretch of a segment. */
export interface SegmentStretch {
  /** Whole lines as they stand in the file, each with its newline; or bytes of a line that no writer makes. */
  readonly lines: Buffer;
  /** Offset of the first byte after the stretch. */
  readonly end: number;
  /** Whether nothing but perhaps a torn last line follows. */
  readonly atEnd: boolean;
}

/** What the lines of a stretch say. */
export interface ParsedLines {
  /** JSON objects with an `occurredAt`; nothing else is checked. */
  readonly records: readonly AuditRecord[];
  /** Lines that are no such thing: bytes that a crash of the machine left. They are passed over. */
  readonly damaged: number;
}

const NEWLINE = 0x0a;

/**
 * Reads whole lines from `offset` on, as many as `into` holds; it must hold the longest line. What is answered is a part
 * of `into`. A last line without its newline was torn by a crash, or is not finished yet: it is left.
 */
export async function readStretch(file: string, offset: number, into: Buffer): Promise<SegmentStretch> {
  const size = into.length;
  if (size < MAX_LINE_BYTES) throw new RangeError(`into has ${size} bytes, at least ${MAX_LINE_BYTES} are needed`);
  const handle = await open(file, 'r');
  try {
    const { bytesRead } = await handle.read(into, 0, size, offset);
    const bytes = into.subarray(0, bytesRead);
    const whole = bytes.lastIndexOf(NEWLINE) + 1;
    if (whole === 0 && bytesRead === size) {
      // No writer makes such a line: garbage, passed over in pieces until a newline comes.
      return { lines: bytes, end: offset + bytesRead, atEnd: false };
    }
    return { lines: bytes.subarray(0, whole), end: offset + whole, atEnd: bytesRead < size };
  } finally {
    await handle.close();
  }
}

/** Reads the lines of a stretch. */
export function parseLines(bytes: Buffer): ParsedLines {
  const records: AuditRecord[] = [];
  let damaged = 0;
  for (const line of bytes.toString('utf8').split('\n')) {
    if (line === '') continue;
    const record = parseLine(line);
    if (record === undefined) damaged += 1;
    else records.push(record);
  }
  return { records, damaged };
}

function parseLine(line: string): AuditRecord | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && 'occurredAt' in value ? (value as AuditRecord) : undefined;
  } catch {
    return undefined;
  }
}
