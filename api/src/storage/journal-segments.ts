import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const NAME = /^\d{15}-[0-9a-f]{8}\.jsonl$/;

/** Path of a segment, whose name must be one that `segmentNames` gave. */
export const segmentPath = (directory: string, name: string): string => join(directory, name);

/** Names of the segments in the directory, oldest first. */
export function segmentNames(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => NAME.test(name))
    .sort();
}

/** Bytes of each segment in the directory, by name. */
export function segmentSizes(directory: string): Map<string, number> {
  return new Map(segmentNames(directory).map((name) => [name, statSync(join(directory, name)).size]));
}

/**
 * A name that sorts after `last`, whatever the clock did since, and is never used twice: a cursor that survived its
 * segment must not apply to another one.
 */
export function nextSegmentName(last: string | undefined, nowMs: number): string {
  const after = last === undefined ? 0 : Number(last.slice(0, 15)) + 1;
  return `${String(Math.max(nowMs, after)).padStart(15, '0')}-${randomBytes(4).toString('hex')}.jsonl`;
}
