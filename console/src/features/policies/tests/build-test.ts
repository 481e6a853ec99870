import { type PolicyTest, validatePolicyTests } from '@agent-reach/sdk/decide';
import type { ExplainInput, RouteExplanation } from '@/features/explain/explain.operations';
import { agentOf, instancesOf, permissionsOf, type Situation } from './test-table';
import { type PolicyUnderTest, runTest } from './use-test-results';

/**
 * A test of a request that was just explained: the instances as they are now, and the decision as what is expected.
 * A test draws no lots, so where several were equal and one won by lot, only its agent is expected, and where even that
 * was drawn, what the test decides by itself.
 */
export function buildTest(
  input: ExplainInput,
  explanation: RouteExplanation,
  situations: readonly Situation[],
  policy: PolicyUnderTest,
): PolicyTest {
  const { namespace, ...target } = input.target;
  const table = {
    instances: instancesOf(explanation, situations, input.target.capability),
    ...permissionsOf(input.caller, situations),
    ...(explanation.canaryPercent === null ? {} : { canaryPercent: explanation.canaryPercent }),
  };
  const request = {
    caller: input.caller,
    ...(namespace === undefined || namespace === policy.namespace ? {} : { namespace }),
    target,
    ...(input.affinityKey === undefined ? {} : { affinityKey: input.affinityKey }),
    ...boundTo(explanation.binding),
    ...(input.zone === undefined ? {} : { zone: input.zone }),
    ...(input.requestId === undefined ? {} : { requestId: input.requestId }),
  };
  const test = (expect: PolicyTest['expect']) =>
    ({ name: nameOf(input, explanation), table, request, expect }) as unknown as PolicyTest;
  const { outcome, chosen } = explanation;
  if (chosen === null) return test({ outcome });
  const agent = agentOf(chosen);
  const expectations = [{ outcome, chosen }, { outcome, agent }, { outcome }] as PolicyTest['expect'][];
  const holds = (expect: PolicyTest['expect']) => passes(policy, test(expect));
  return test(expectations.find(holds) ?? ({ outcome, chosen } as PolicyTest['expect']));
}

function passes(policy: PolicyUnderTest, test: PolicyTest): boolean {
  const { tests } = validatePolicyTests([test]);
  return tests !== undefined && runTest(policy, tests)?.passed === true;
}

/** To whom the key was bound before this call. */
function boundTo(binding: RouteExplanation['binding']) {
  if (binding === null || binding.kind === 'NEW') return {};
  const instance = binding.kind === 'KEPT' ? binding.instance : binding.from;
  return instance === null ? {} : { boundTo: instance };
}

function nameOf({ caller, target }: ExplainInput, { outcome, chosen }: RouteExplanation): string {
  const whom = target.capability ?? target.agent ?? target.type ?? '';
  return `${caller} → ${whom}: ${chosen === null ? outcome : agentOf(chosen)}`.slice(0, 200);
}
