import type { Candidate, Domain, RouteInstance } from './candidate.js';
import type { CandidateCell } from './candidate-cell.js';
import type { DomainChoice } from './domain-choice.js';
import type { VersionRanges } from './pass.js';
import type { Policy } from './policy.js';
import type { RouteRequest } from './request.js';

/** Whether the versions that a call may reach include this one. */
export function inRanges(version: string, ranges: VersionRanges | undefined): boolean {
  if (ranges === undefined) return true;
  const { ofPolicy, ofCall } = ranges;
  return (ofPolicy === undefined || ofPolicy.admits(version)) && (ofCall === undefined || ofCall.admits(version));
}

/** Where a call is looked for, and where it is best served. */
interface Placing {
  readonly request: RouteRequest;
  readonly policy: Policy;
  readonly ranges: VersionRanges | undefined;
  readonly domains: DomainChoice;
  domain: Domain;
  zone: string | undefined;
  /** The one version that the call keeps to, if it keeps to one. */
  version: string | undefined;
}

/**
 * Finds where a call is best served, as far as cells can tell: the domain that was drawn for it (else the other one that
 * it may go to, if that has nobody), and the zone that it prefers, if the domain has somebody there or the policy forbids
 * to go elsewhere.
 */
export function bestPlace<I extends RouteInstance>(placing: Placing, cells: readonly CandidateCell<I>[]): void {
  const { request, ranges, domains, policy } = placing;
  let drawn = false;
  let inDrawn = false;
  let inOther = false;
  for (const cell of cells) {
    if (!inRanges(cell.version, ranges)) continue;
    if (cell.domain === domains.drawn) {
      drawn = true;
      if (cell.zone === request.zone) inDrawn = true;
    } else if (cell.domain === domains.other && cell.zone === request.zone) inOther = true;
  }
  placing.domain = drawn ? domains.drawn : domains.other;
  placing.zone = (drawn ? inDrawn : inOther) || !policy.content.allowZoneCrossing ? request.zone : undefined;
}

export function isBest<I extends RouteInstance>(cell: CandidateCell<I>, placing: Placing): boolean {
  const { domain, zone, version, ranges } = placing;
  return (
    cell.domain === domain &&
    (zone === undefined || cell.zone === zone) &&
    (version === undefined ? inRanges(cell.version, ranges) : cell.version === version)
  );
}

/** The cells of the best place; the same list when that is all of them. */
export function bestCells<I extends RouteInstance>(
  cells: readonly CandidateCell<I>[],
  placing: Placing,
): readonly CandidateCell<I>[] {
  for (const cell of cells) if (!isBest(cell, placing)) return cells.filter((each) => isBest(each, placing));
  return cells;
}

/** Everybody whose version a call may reach. */
export function everybody<I extends RouteInstance>(
  cells: readonly CandidateCell<I>[],
  ranges: VersionRanges | undefined,
): Candidate<I>[] {
  const only = cells.length === 1 ? cells[0] : undefined;
  if (only !== undefined && ranges === undefined) return only.candidates.slice();
  const all: Candidate<I>[] = [];
  for (const cell of cells) if (inRanges(cell.version, ranges)) for (const each of cell.candidates) all.push(each);
  return all;
}

/**
 * So many different ones of several lists, drawn by lot; all of them if there are no more. It goes from a random start
 * in steps of one random length, so each one is as likely as any other and two random numbers are enough. The steps are
 * long, since neighbours are often alike: they joined together, or share a cell.
 *
 * @param run how many neighbours are taken at each step: more are quicker to reach in memory, but more often alike
 */
export function drawLots<I extends RouteInstance>(
  cells: readonly CandidateCell<I>[],
  count: number,
  random: () => number,
  run = 1,
): Candidate<I>[] {
  let total = 0;
  for (const cell of cells) total += cell.candidates.length;
  const size = Math.min(count, total);
  const drawn: Candidate<I>[] = [];
  // So long that a round of all steps comes to no candidate twice.
  const longest = Math.max(run, Math.floor((total * run) / size));
  let place = Math.floor(random() * total);
  const step = longest - Math.floor((random() * (longest - run + 1)) / 2);
  let cell = 0;
  let before = 0;
  while (drawn.length < size) {
    if (place >= total) {
      place -= total;
      cell = 0;
      before = 0;
    }
    let list = cells[cell]?.candidates ?? [];
    while (place - before >= list.length) {
      before += list.length;
      cell++;
      list = cells[cell]?.candidates ?? [];
    }
    const candidate = list[place - before];
    if (candidate !== undefined) drawn.push(candidate);
    place += drawn.length % run === 0 ? step - run + 1 : 1;
  }
  return drawn;
}

/** Where what was read ahead goes: without any use of it, a compiler would leave the reading out. */
const sink = new Float64Array(1);

/**
 * Reads what a decision will ask of these candidates, in loops so short that the processor waits for many of these
 * reads at once instead of for one after the other. Of ten thousand instances most are in none of its caches; measured
 * there, a decision takes a third less time.
 */
export function fetch<I extends RouteInstance>(candidates: readonly Candidate<I>[]): void {
  let sum = 0;
  for (const { instance } of candidates) sum += instance.weight;
  for (const { instance } of candidates) sum += instance.live.inFlight;
  for (const { instance } of candidates) sum += (instance.live.utilisation ?? 0) + instance.live.callerHistory.size;
  sink[0] = sum;
}
