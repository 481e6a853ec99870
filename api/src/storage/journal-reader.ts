import { open } from 'node:fs/promises';
import type { AuditRecord } from '@agent-reach/sdk/protocol';
import { MAX_LINE_BYTES } from './journal-line.js';

/** A stretch of a segment. */
export interface SegmentStretch {
  readonly records: readonly AuditRecord[];
  /** Offset of the first byte after the stretch. */
  readonly end: number;
  /** Lines that are not JSON: bytes that a crash of the machine left. They are passed over. */
  readonly damaged: number;
  /** Whether nothing but perhaps a torn last line follows. */
  readonly atEnd: boolean;
}

const NEWLINE = 0x0a;

/**
 * Reads whole lines from `offset` on, at most about `maxBytes` of them. A last line without its newline was torn by a
 * crash, or is not finished yet: it is left.
 */
export async function readStretch(file: string, offset: number, maxBytes: number): Promise<SegmentStretch> {
  const handle = await open(file, 'r');
  try {
    const size = Math.max(maxBytes, MAX_LINE_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(size), 0, size, offset);
    const bytes = buffer.subarray(0, bytesRead);
    const whole = bytes.lastIndexOf(NEWLINE) + 1;
    if (whole === 0 && bytesRead === size) {
      // No writer makes such a line: garbage, passed over in pieces until a newline comes.
      return { records: [], end: offset + bytesRead, damaged: 1, atEnd: false };
    }
    return { ...parseLines(bytes.subarray(0, whole)), end: offset + whole, atEnd: bytesRead < size };
  } finally {
    await handle.close();
  }
}

function parseLines(bytes: Buffer): { records: AuditRecord[]; damaged: number } {
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
