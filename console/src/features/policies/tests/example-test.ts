import type { PolicyContent, PolicyTest } from '@agent-reach/sdk/decide';

/** A test to start from: two idle instances of one agent, of which either may be chosen. */
export function exampleTest(namespace: string, content: PolicyContent | undefined): PolicyTest {
  const capability = exactPart(content?.match.capability ?? '*');
  const strategy = content?.strategy;
  const first = strategy?.name === 'PRIORITY_RATIO' ? strategy.agents.find(({ ratio }) => ratio > 0) : undefined;
  const agent = first?.agent ?? content?.candidates[0] ?? (`${namespace}/worker` as const);
  const tags = content?.match.tags ?? [];
  const offered = { [capability]: tags.length === 0 ? null : { tags } };
  return {
    name: 'an idle instance is chosen',
    table: {
      instances: [
        { ref: `${agent}/a`, inFlight: 0, capabilities: offered },
        { ref: `${agent}/b`, inFlight: 3, capabilities: offered },
      ],
    },
    request: { caller: callerOf(namespace, content?.match.caller ?? '*'), target: { capability } },
    expect: { outcome: 'OK', agent },
  };
}

/** A name that a pattern matches. */
function exactPart(pattern: string): string {
  return pattern === '*' ? 'work' : pattern.replace(/\*$/, 'x');
}

function callerOf(namespace: string, pattern: string): PolicyTest['request']['caller'] {
  const exact = pattern === '*' ? `agent:${namespace}/caller` : pattern.replace(/\*$/, 'caller');
  return exact as PolicyTest['request']['caller'];
}
