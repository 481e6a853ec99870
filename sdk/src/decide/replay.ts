import type { Candidate, RouteInstance } from './candidate.js';
import { CandidateCell, cellKey } from './candidate-cell.js';
import { decide, decideAmong, passFor } from './decide.js';
import type { Decision } from './decision.js';
import { explanationOf, Listener, unknownTags } from './explain.js';
import type { RouteExplanation } from './explanation.js';
import { keyState } from './key-binding.js';
import type { Policy } from './policy.js';
import type { PolicySet } from './policy-set.js';
import type { RecordedDecision } from './recorded.js';
import { forReplay, freshMemory, tableOf } from './replay-table.js';
import type { RouteRequest } from './request.js';
import type { RouteTable } from './route-table.js';
import { seededRandom } from './seeded-random.js';
import { strategyOf } from './strategies/index.js';

/** Where an explanation names the version of the table: it is none of a router's. */
const TABLE_VERSION = 'recorded';

/**
 * Makes a recorded decision again, with the states of that moment, by these policies. By the very policy version that it
 * was made by, the choice is the recorded one. By another, what the record doesn't hold makes the answer `unknown`.
 *
 * Nothing outside is changed. What strategies of another policy remember (whose turn it is) lives on from replay to
 * replay with the same policies, as if they had decided all these calls.
 */
export function replayDecision(recorded: RecordedDecision, policies: PolicySet): RouteExplanation {
  const request = requestOf(recorded);
  const table = tableOf(recorded, forReplay(policies));
  const random = seededRandom(recorded.seed);
  const { policy } = passFor(table, request, recorded.now, random, undefined, table.policies);
  return policy.id === recorded.policy.id && policy.version === recorded.policy.version
    ? again(recorded, request, table, policy)
    : byOthers(recorded, request, table, random);
}

/** Fields without a value are lost in JSON. */
function requestOf({ request }: RecordedDecision): RouteRequest {
  const { zone, affinityKey, tried, ...rest } = request;
  return { ...rest, zone, affinityKey, tried: tried === undefined ? undefined : new Set(tried) };
}

/** By the same policy: looks at the same candidates in the same order, and draws what was drawn from there on. */
function again(recorded: RecordedDecision, request: RouteRequest, table: RouteTable, policy: Policy): RouteExplanation {
  const { candidates, looked, lookedBy, matched, now, strategy } = recorded;
  const same = freshMemory(policy);
  const policies: PolicySet = { ...table.policies, find: () => same };
  const random = seededRandom(recorded.seed);
  for (let drawn = 0; drawn < recorded.drawnBefore; drawn++) random();
  const listener = new Listener<RouteInstance>();
  const pass = passFor(table, request, now, random, listener, policies);
  const all = candidates.flatMap(({ ref }) => table.candidate(pass.match.cells, ref) ?? []);
  if (strategy.state !== null) strategyOf(same.content.strategy).restore?.(strategy.state, all, recorded.capability);
  const pool = all.slice(0, looked);
  const cells = cellsOf(pool);
  pass.placeAmong({ cells });
  pass.drawn = lookedBy === 'STRATEGY';
  pass.begin(cells, lookedBy === 'ALL' ? undefined : pool);
  const decision: Decision = { ...decideAmong(pass, keyState(pass)), matched };
  const unknown = looked > all.length ? [notAll(recorded)] : [];
  return explanationOf(listener, decision, policies, TABLE_VERSION, unknown);
}

/** By another policy: decides anew among everybody who was recorded. */
function byOthers(
  recorded: RecordedDecision,
  request: RouteRequest,
  table: RouteTable,
  random: () => number,
): RouteExplanation {
  const listener = new Listener<RouteInstance>();
  const decision = decide(table, request, recorded.now, random, listener);
  const unknown = recorded.truncated ? [notAll(recorded)] : [];
  const explanation = explanationOf(listener, decision, table.policies, TABLE_VERSION, [
    ...unknown,
    ...unknownTags(listener.pass, table.policies),
  ]);
  table.applied(decision);
  return explanation;
}

function notAll({ candidates, matched }: RecordedDecision): string {
  return `Where it would go among all: of ${matched} candidates ${candidates.length} were recorded.`;
}

/** Candidates in cells as they stood in the table: neighbours that are alike. */
function cellsOf(candidates: readonly Candidate[]): CandidateCell<RouteInstance>[] {
  const cells: CandidateCell<RouteInstance>[] = [];
  let last = '';
  for (const candidate of candidates) {
    const { instance, capability } = candidate;
    const key = cellKey(capability, instance);
    if (key !== last) cells.push(new CandidateCell(capability, instance));
    cells.at(-1)?.add(candidate);
    last = key;
  }
  return cells;
}
