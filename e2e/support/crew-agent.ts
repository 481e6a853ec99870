import { connect } from '@agent-reach/sdk';

/**
 * A process of many instances of one agent over a few connections. Environment: REACH_URL, REACH_TOKEN, CREW_CONNECTIONS,
 * CREW_INSTANCES (of each connection), CREW_NAME (their names are `<name>-<connection>-<number>`), CREW_CLOCK_MS (by how
 * much its wall clock is off). Says `ready` to its parent when all have joined.
 */
const { REACH_URL = '', REACH_TOKEN = '', CREW_NAME = 'crew' } = process.env;
const connections = Number(process.env.CREW_CONNECTIONS ?? 1);
const instances = Number(process.env.CREW_INSTANCES ?? 1);

const off = Number(process.env.CREW_CLOCK_MS ?? 0);
const now = Date.now.bind(Date);
Date.now = () => now() + off;

const joining: Promise<unknown>[] = [];
for (let connection = 0; connection < connections; connection++) {
  const reach = connect({ url: REACH_URL, token: REACH_TOKEN, reconnectCapMs: 1_000 });
  for (let number = 0; number < instances; number++) {
    const agent = reach.agent({
      instance: `${CREW_NAME}-${connection}-${number}`,
      type: 'test.crew',
      version: '1.0.0',
      description: 'One of many, for tests.',
      record: false,
    });
    agent.handle(
      'crew_name',
      {
        description: 'Use it to see who answers; answers with the name of the instance.',
        input: { type: 'object' },
        idempotent: true,
      },
      () => ({ name: `${CREW_NAME}-${connection}-${number}` }),
    );
    joining.push(agent.start());
  }
}
await Promise.all(joining);
process.send?.('ready');
process.channel?.unref();
