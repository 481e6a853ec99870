import { join } from 'node:path';
import { readIfExists, writePrivate } from '../../../storage/files.js';

/** Where the chain stood at a moment, kept outside Postgres. */
export interface KeptHead {
  readonly sequence: bigint;
  /** Chain value of that entry, in hex. */
  readonly chain: string;
  /** When it was kept, ISO in UTC. */
  readonly at: string;
}

const FILE = 'audit-heads.jsonl';
const LINE = /^\{"sequence":"(\d{1,18})","chain":"([0-9a-f]{64})","at":"([^"]+)"\}$/;

/** The file of the kept heads of a data directory. */
export const keptHeadsFile = (dataDir: string): string => join(dataDir, FILE);

/** The kept heads, oldest first; none without a file. Lines that are no heads are left out and counted. */
export function readKeptHeads(file: string): { readonly heads: readonly KeptHead[]; readonly damaged: number } {
  const lines = (readIfExists(file) ?? '').split('\n').filter((line) => line !== '');
  const heads = lines.flatMap((line): KeptHead[] => {
    const [, sequence, chain, at] = LINE.exec(line) ?? [];
    return sequence === undefined || chain === undefined || at === undefined
      ? []
      : [{ sequence: BigInt(sequence), chain, at }];
  });
  return { heads, damaged: lines.length - heads.length };
}

/** Replaces the file as a whole, on the disk when it returns. Throws the system's errors. */
export function writeKeptHeads(file: string, heads: readonly KeptHead[]): void {
  const lines = heads.map(({ sequence, chain, at }) => JSON.stringify({ sequence: String(sequence), chain, at }));
  writePrivate(file, `${lines.join('\n')}\n`);
}
