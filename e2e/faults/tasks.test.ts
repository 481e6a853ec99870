import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect, type HandlerContext, type Reach, type TaskHandle } from '@agent-reach/sdk';
import type { TaskView } from '@agent-reach/sdk/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../support/server.js';
import { agentToken, allow } from '../support/shop.js';

const SECRET = 'a secret of the caller';

let server: RunningServer;
let first: RunningServer;
let agents: Reach[];
let web: Reach;
let token: string;

beforeEach(async () => {
  server = await startServer();
  first = server;
  token = await agentToken(server, 'packer', 'test.packer');
  const webToken = await agentToken(server, 'web', 'test.web');
  await allow(server, 'agent:default/web', 'default/packer', '*');
  agents = [];
  web = connect({ url: server.apiUrl, token: webToken, drainOn: [] });
});

afterEach(async () => {
  await Promise.all([web, ...agents].map((reach) => reach.close()));
  await server.stop();
  await first.stop();
});

type Work = (ctx: HandlerContext) => Promise<unknown>;

/** An instance of `packer` whose work a test does. */
async function packer(instance: string, work: Work): Promise<Reach> {
  const reach = connect({ url: server.apiUrl, token, drainOn: [] });
  agents.push(reach);
  const agent = reach.agent({
    instance,
    type: 'test.packer',
    version: '1.0.0',
    description: 'Packs, for tests.',
    record: false,
  });
  for (const [name, idempotent] of [
    ['pack', false],
    ['weigh', true],
  ] as const) {
    agent.handle(
      name,
      {
        description: 'Use it to have one parcel handled; answers its number when it is done.',
        input: { type: 'object', properties: {} },
        mode: 'TASK',
        idempotent,
      },
      (_params, ctx) => work(ctx),
    );
  }
  await agent.start();
  return reach;
}

/** Work that goes on until the test ends it. */
function held() {
  let release: (result: unknown) => void = () => {};
  const contexts: HandlerContext[] = [];
  const done = new Promise<unknown>((resolve) => {
    release = resolve;
  });
  const work: Work = (ctx) => {
    contexts.push(ctx);
    ctx.progress({ parcels: 1 });
    return done;
  };
  return { work, contexts, release };
}

/** The next state of a task that meets a condition. */
async function until(task: TaskHandle, met: (view: TaskView) => boolean): Promise<TaskView> {
  for await (const view of task.updates()) if (met(view)) return view;
  throw new Error('the task ended before');
}

/** Where webhooks arrive. */
async function receiver() {
  const received: { readonly headers: IncomingMessage['headers']; readonly body: string }[] = [];
  const http = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      // The first one is lost on the receiver's side.
      response.writeHead(received.length === 1 ? 500 : 204).end();
    });
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  return { received, url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/hook`, close: () => http.close() };
}

/** The server dies and is started again on the same data. */
async function restart(): Promise<void> {
  await server.kill();
  const { dataDir, ports, adminToken } = server;
  server = await startServer({ dataDir, ports, adminToken });
}

describe('a task', () => {
  it('is accepted, tells how far it is, and its end reaches a signed webhook, again until it is taken', async () => {
    const hook = await receiver();
    const { work, release } = held();
    await packer('one', work);
    const task = await web.startTask({ capability: 'pack', callback: { url: hook.url, secret: SECRET } });
    expect(await until(task, ({ state }) => state === 'RUNNING')).toMatchObject({
      agent: 'default/packer',
      instance: 'default/packer/one',
      epoch: 1,
      progress: { parcels: 1 },
    });
    release({ parcel: 4 });
    expect(await task.result()).toEqual({ parcel: 4 });
    await expect.poll(() => hook.received.length, { timeout: 12_000 }).toBe(2);
    const [lost, taken] = hook.received;
    expect(taken?.headers['webhook-id']).toBe(lost?.headers['webhook-id']);
    const { headers, body = '' } = taken ?? {};
    const signed = `${headers?.['webhook-id']}.${headers?.['webhook-timestamp']}.${body}`;
    const expected = createHmac('sha256', SECRET).update(signed).digest('base64');
    expect(headers?.['webhook-signature']).toBe(`v1,${expected}`);
    expect(JSON.parse(body)).toMatchObject({ taskId: task.taskId, state: 'COMPLETED', result: { parcel: 4 } });
    hook.close();
  }, 40_000);

  it('outlives a server that is killed while it runs', async () => {
    const { work, contexts, release } = held();
    await packer('one', work);
    const task = await web.startTask({ capability: 'pack' });
    await until(task, ({ state }) => state === 'RUNNING');
    await restart();
    release({ parcel: 4 });
    expect(await task.result()).toEqual({ parcel: 4 });
    expect(contexts).toHaveLength(1);
    const { body } = await metrics();
    expect(body).toMatch(/^reach_tasks_open 0$/m);
    expect(body).toMatch(/^reach_agent_tasks\{agent="default\/packer"\} 0$/m);
  }, 40_000);

  it('whose instance is gone is done by another under the next epoch, or is unknown', async () => {
    const one = held();
    const reach = await packer('one', one.work);
    const weigh = await web.startTask({ capability: 'weigh' });
    const pack = await web.startTask({ capability: 'pack' });
    await until(weigh, ({ state }) => state === 'RUNNING');
    await until(pack, ({ state }) => state === 'RUNNING');
    const two = held();
    await packer('two', two.work);
    await replace(reach);
    const again = await until(weigh, ({ epoch, state }) => epoch === 2 && state === 'RUNNING');
    expect(again.instance).toBe('default/packer/two');
    two.release('weighed by two');
    expect(await weigh.result()).toBe('weighed by two');
    await expect(pack.result()).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  }, 40_000);

  it('can be cancelled, and its agent hears of it', async () => {
    const { work, contexts, release } = held();
    await packer('one', work);
    const task = await web.startTask({ capability: 'pack' });
    await until(task, ({ state }) => state === 'RUNNING');
    await task.cancel();
    await expect(task.result()).rejects.toMatchObject({ code: 'CANCELLED' });
    await expect.poll(() => contexts[0]?.signal.aborted).toBe(true);
    release(null);
  }, 40_000);
});

async function metrics(): Promise<{ readonly body: string }> {
  const response = await fetch(`${server.apiUrl}/metrics`, {
    headers: { authorization: `Bearer ${server.adminToken}` },
  });
  return { body: await response.text() };
}

/** The process of an instance ends and another takes its name, that knows nothing and takes no work. */
async function replace(reach: Reach): Promise<void> {
  agents.splice(agents.indexOf(reach), 1);
  const successor = connect({ url: server.apiUrl, token, drainOn: [] });
  agents.push(successor);
  const agent = successor.agent({
    instance: 'one',
    type: 'test.packer',
    version: '2.0.0',
    description: 'Packs nothing, for tests.',
    record: false,
  });
  agent.handle(
    'rest',
    {
      description: 'Use it to have nothing done at all; answers nothing.',
      input: { type: 'object' },
      idempotent: true,
    },
    () => null,
  );
  await agent.start();
}
