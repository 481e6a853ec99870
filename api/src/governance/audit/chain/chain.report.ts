import type { ChainFault } from './chain.faults.js';
import type { Verification } from './chain.verify.js';

/** A fault as a line for people: what, where, why. */
export function faultLine({ kind, first, last, reason }: ChainFault): string {
  const where = first === last ? `entry ${first}` : `entries ${first} to ${last}`;
  return `${kind.padEnd(12)} ${where}: ${reason}`;
}

/** What was looked at and what came of it, in lines for people. */
export function summaryLines(seen: Verification): string[] {
  const count = (n: bigint | number, one: string): string => `${n} ${one}${Number(n) === 1 ? '' : 's'}`;
  const lines = [
    `The audit goes up to entry ${seen.head}.`,
    `Compared ${seen.entries === 1n ? '1 entry' : `${seen.entries} entries`} with ${count(seen.links, 'link')} of the chain, and ${count(seen.keptHeads, 'head')} kept outside the database.`,
  ];
  if (seen.expired > 0n) lines.push(`${seen.expired} have expired; signed anchors stand for them.`);
  if (seen.unchained > 0n) lines.push(`${seen.unchained} are from before the chain, and were not compared.`);
  if (seen.keptHeads === 0 && seen.head > 0n) {
    lines.push('Without kept heads an end that was cut off cannot be found.');
  }
  lines.push(seen.faults === 0 ? 'No fault was found.' : `${count(seen.faults, 'fault')} found.`);
  return lines;
}
