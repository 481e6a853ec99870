import type { CaseExpectation, CaseFault, CaseRequest, DecisionCase } from './case-format.js';
import { bindKey, CASE_NOW, tableOf } from './case-table.js';
import { explain } from './explain.js';
import type { CandidateExplanation, RouteExplanation } from './explanation.js';
import type { RouteRequest } from './request.js';

export type { DecisionCase } from './case-format.js';

/** Runs a case through the router's own code. Randomness is fixed: among equals the first in the table wins. */
export function runCase({ table: data, request }: Pick<DecisionCase, 'table' | 'request'>): RouteExplanation {
  const table = tableOf(data);
  bindKey(table, data, request);
  return explain(table, toRequest(request), CASE_NOW, () => 0, 'case.1');
}

function toRequest(given: CaseRequest): RouteRequest {
  const { requestId, caller, roles, namespace, target, zone, domain, affinityKey, alreadyTried } = given;
  return {
    requestId: requestId ?? 'case',
    caller,
    roles: roles ?? [],
    namespace,
    target,
    zone,
    domain: domain ?? 'PRODUCTION',
    affinityKey,
    tried: alreadyTried === undefined ? undefined : new Set(alreadyTried),
  };
}

/** In what a decision is not what a case expects. */
export function caseFaults(expect: CaseExpectation, got: RouteExplanation): readonly CaseFault[] {
  const faults: CaseFault[] = [];
  const compare = (path: string, expected: string | undefined, actual: string | undefined): void => {
    if (expected !== actual) faults.push({ path: `expect.${path}`, expected, got: actual });
  };
  if (expect.outcome !== undefined) compare('outcome', expect.outcome, got.outcome);
  if (expect.chosen !== undefined) compare('chosen', expect.chosen, got.chosen);
  if (expect.agent !== undefined) compare('agent', expect.agent, got.chosen?.slice(0, got.chosen.lastIndexOf('/')));
  if (expect.policy !== undefined) compare('policy', expect.policy, got.policy.name);
  if (expect.message !== undefined) compare('message', expect.message, got.message);
  if (expect.candidates !== undefined) {
    const expected = new Map(Object.entries(expect.candidates));
    const actual = new Map(got.candidates.map((each) => [each.instance as string, fateOf(each)]));
    for (const ref of new Set([...expected.keys(), ...actual.keys()])) {
      compare(`candidates.${ref}`, expected.get(ref), actual.get(ref));
    }
  }
  return faults;
}

function fateOf(candidate: CandidateExplanation): string {
  return candidate.kept ? 'kept' : `${candidate.stage}: ${candidate.reason}`;
}
