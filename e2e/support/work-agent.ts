import { dirname } from 'node:path';
import { connect } from '@agent-reach/sdk';
import { TASK_CAPABILITIES, WORK_CAPABILITIES, work, workDeclaration, workParams } from './work.js';
import { WorkLog } from './work-log.js';

/**
 * An agent process of faults, made with the SDK. Environment: REACH_URL, REACH_TOKEN, AGENT_INSTANCE, WORK_LOG (file,
 * beside which the SDK keeps its record of requests), AGENT_TASKS (`true`: it offers its work as tasks). Says `ready` to its
 * parent.
 */
const { REACH_URL = '', REACH_TOKEN = '', AGENT_INSTANCE = 'a', WORK_LOG = '', AGENT_TASKS } = process.env;
const log = new WorkLog(WORK_LOG);
process.chdir(dirname(WORK_LOG));

const agent = connect({ url: REACH_URL, token: REACH_TOKEN, reconnectCapMs: 500 }).agent({
  instance: AGENT_INSTANCE,
  type: 'test.work',
  version: '1.0.0',
  description: 'Works, and stops where a test wants it to.',
  maxConcurrency: 1000,
  maxTasks: 1000,
});
const offer = (name: string, mode: 'SYNC' | 'TASK'): void => {
  const { description, inputSchema, outputSchema, idempotent } = workDeclaration(name);
  agent.handle(name, { description, input: inputSchema, output: outputSchema, idempotent, mode }, (params, ctx) =>
    work(log, AGENT_INSTANCE, ctx.requestId, workParams(params), ctx.signal),
  );
};
for (const name of WORK_CAPABILITIES) offer(name, 'SYNC');
if (AGENT_TASKS === 'true') for (const name of TASK_CAPABILITIES) offer(name, 'TASK');
await agent.start();

process.send?.('ready');
process.channel?.unref();
