/** The code that joins an agent, for its author to start from. The token stays out of it. */
export function joinSnippet({
  origin,
  agent,
  agentType,
}: {
  origin: string;
  agent: string;
  agentType: string;
}): string {
  const id = agent.slice(agent.indexOf('/') + 1);
  return `import { connect } from '@agent-reach/sdk';

const reach = await connect({
  url: '${origin}',
  token: process.env.REACH_TOKEN,
});

const agent = reach.agent({
  id: '${id}',
  type: '${agentType}',
  version: '1.0.0',
  description: 'What it is for, in a sentence',
});

agent.handle(
  'say_hello',
  {
    description: 'Greets a person by name. Use it to try the connection; it answers with the greeting.',
    input: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    output: { type: 'object', properties: { greeting: { type: 'string' } }, required: ['greeting'] },
    idempotent: true,
  },
  async ({ name }) => ({ greeting: \`Hello, \${name}\` }),
);

await agent.start();
`;
}
