import { BusinessError, connect, type OwnLoad } from '@agent-reach/sdk';

/**
 * An agent process for tests. Environment: REACH_URL, REACH_TOKEN, AGENT_ID (optional), AGENT_INSTANCE, AGENT_TYPE,
 * AGENT_IDEMPOTENT (`false` for not). It handles `echo`, `sleep` (answers after `ms`) and `refuse` (BUSINESS_ERROR),
 * says `ready` to its parent, and drains on SIGTERM. A message of its parent is the load that it reports.
 */
const { REACH_URL = '', REACH_TOKEN = '', AGENT_ID, AGENT_INSTANCE = 'a', AGENT_TYPE = 'test.echo' } = process.env;
const idempotent = process.env.AGENT_IDEMPOTENT !== 'false';

const reach = connect({ url: REACH_URL, token: REACH_TOKEN });

const agent = reach
  .agent({
    ...(AGENT_ID === undefined ? {} : { id: AGENT_ID }),
    instance: AGENT_INSTANCE,
    type: AGENT_TYPE,
    version: '1.0.0',
    description: 'Answers what it is asked, for tests.',
    maxConcurrency: 1000,
    // Tests share a folder and use request ids again.
    record: false,
  })
  .handle(
    'echo',
    {
      description: 'Use it to see whether calls arrive; answers with the text and who answered.',
      input: { type: 'object', properties: { text: { type: 'string' } } },
      output: { type: 'object', required: ['instance'], properties: { text: {}, instance: { type: 'string' } } },
      idempotent,
    },
    ({ text }) => ({ text, instance: AGENT_INSTANCE }),
  )
  .handle<{ ms: number }>(
    'sleep',
    {
      description: 'Use it to keep a call open; answers after so many milliseconds with who answered.',
      input: { type: 'object', required: ['ms'], properties: { ms: { type: 'integer', minimum: 0 } } },
      idempotent,
    },
    ({ ms }, ctx) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => resolve({ instance: AGENT_INSTANCE }), ms);
        ctx.signal.addEventListener('abort', () => {
          clearTimeout(timer);
          reject(ctx.signal.reason);
        });
      }),
  )
  .handle(
    'refuse',
    {
      description: 'Use it to get a business error; never answers with a result.',
      input: { type: 'object', properties: {} },
      idempotent,
    },
    () => {
      throw new BusinessError('this is never possible', { reason: 'test' });
    },
  );
await agent.start();

process.on('message', (load: OwnLoad) => agent.reportLoad(load));
process.send?.('ready');
// The channel to the parent alone must not keep a drained agent alive.
process.channel?.unref();
