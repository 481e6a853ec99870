import { rendezvous } from './affinity.js';
import type { Candidate, RouteInstance } from './candidate.js';
import type { Choice } from './decision.js';
import { bestCells, drawLots, fetch, isBest } from './draw.js';
import type { KeyState, Pass } from './pass.js';
import { choose, SAMPLE, SAMPLE_ABOVE } from './run-pass.js';
import { keepBest, keepPossible } from './stages.js';
import type { TargetMatch } from './target-match.js';

/** A first sample, and a second for when most of the first are unfit. */
const SAMPLES = [SAMPLE, SAMPLE_ABOVE] as const;

/**
 * Chooses among more candidates than are looked at one by one: among those that the caller may call, when rules name
 * these and they are few; else among a sample, if one of it is all that a choice should be, so that nobody outside of it
 * can be better placed. Undefined: only looking at everybody will do.
 */
export function chooseAmongMany<I extends RouteInstance>(
  pass: Pass<I>,
  key: KeyState | undefined,
): Choice<I> | undefined {
  const within = permitted(pass);
  if (within === undefined) return undefined;
  pass.placeAmong(within);
  if (within !== pass.listed && within.size <= SAMPLE_ABOVE) {
    pass.begin(within.cells, undefined);
    if (keepBest(pass)) return choose(pass, key);
    pass.observer?.began(pass);
    return keepPossible(pass) ? choose(pass, key) : undefined;
  }
  pass.version = boundVersion(pass, within, key);
  for (const size of SAMPLES) {
    const sample = drawSample(pass, within, size, key);
    if (sample === undefined) return undefined;
    fetch(sample);
    pass.begin(within.cells, sample);
    if (!keepBest(pass)) continue;
    const choice = choose(pass, key);
    if (choice !== undefined) return choice;
  }
  return undefined;
}

/** The version that the call's key keeps to, where the policy says so and somebody in the best place has it. */
function boundVersion<I extends RouteInstance>(
  pass: Pass<I>,
  within: TargetMatch<I>,
  key: KeyState | undefined,
): string | undefined {
  const version = key?.known?.version;
  if (version === undefined || !pass.policy.content.versions.sticky) return undefined;
  return bestCells(within.cells, pass).some((cell) => cell.version === version) ? version : undefined;
}

/** Neighbours drawn together, where they needn't be permitted or forbidden together. */
const RUN = 4;

/** Those whom the caller may call at most, as far as an index can tell; undefined: nobody. */
function permitted<I extends RouteInstance>(pass: Pass<I>): TargetMatch<I> | undefined {
  const { table, request, match, listed } = pass;
  if (match.capability === undefined || !match.hasOneName) return listed;
  const view = table.permissions.view(request.caller, request.roles, match.capability);
  const scope = view.scope(request.namespace);
  switch (scope.kind) {
    case 'ALL':
      pass.run = RUN;
      return listed;
    case 'SOME':
      pass.run = RUN;
      return listed.narrowed(scope.agents);
    case 'EACH':
      return listed;
    case 'NONE':
      return undefined;
    default:
      return scope satisfies never;
  }
}

/** A sample of those in the best place, drawn by lot or by the strategy; undefined: it has to be everybody. */
function drawSample<I extends RouteInstance>(
  pass: Pass<I>,
  within: TargetMatch<I>,
  size: number,
  key: KeyState | undefined,
): Candidate<I>[] | undefined {
  const sample = pass.strategy.draw === undefined ? lots(pass, within, size, key) : drawnByStrategy(pass, within, size);
  if (sample === undefined || sample.length === 0) return undefined;
  if (key?.known !== undefined && !key.lost) {
    // Only there: the bound one of another zone gives way to those in the best place.
    const cells = bestCells(within.cells, pass);
    join(sample, pass.table.candidate(cells, key.known.ref));
  }
  return sample;
}

function lots<I extends RouteInstance>(
  pass: Pass<I>,
  within: TargetMatch<I>,
  size: number,
  key: KeyState | undefined,
): Candidate<I>[] {
  const cells = bestCells(within.cells, pass);
  const sample = drawLots(cells, size, pass.random, pass.run);
  if (key !== undefined && key.known === undefined) {
    // So that a key finds its instance again after a restart, which forgets bindings.
    const firsts = cells.flatMap((cell) => rendezvous(key.key, cell.candidates) ?? []);
    join(sample, rendezvous(key.key, firsts));
  }
  return sample;
}

function drawnByStrategy<I extends RouteInstance>(
  pass: Pass<I>,
  within: TargetMatch<I>,
  size: number,
): Candidate<I>[] | undefined {
  const list = within.part(
    (cell) => isBest(cell, pass),
    () => partName(pass),
  );
  pass.scratch = undefined;
  const drawn = pass.strategy.draw?.(list, pass, size);
  pass.drawn = drawn !== undefined;
  // Strategies know candidates of any table; what they answer comes from the list that they were given.
  return drawn?.slice() as Candidate<I>[] | undefined;
}

/** All that a part of a match depends on. */
function partName<I extends RouteInstance>({ domain, zone, version, ranges, request }: Pass<I>): string {
  return `${domain}\n${zone}\n${version ?? `${ranges?.ofPolicy?.text}\n${request.target.versions}`}`;
}

function join<C>(sample: C[], one: C | undefined): void {
  if (one !== undefined && !sample.includes(one)) sample.push(one);
}
