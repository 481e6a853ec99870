import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TaskView } from '@agent-reach/sdk/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TimingWheel } from '../execute/attempts/timing-wheel.js';
import type { DueWebhook, WebhookOutbox, WebhooksUnderWay } from '../execute/tasks/webhooks.port.js';
import { TestClock } from '../perceive/testing.js';
import { EgressGuard } from './egress.js';
import { callbackError } from './webhook-callback.js';
import { signedHeaders } from './webhook-signature.js';
import { WebhookSender } from './webhooks.js';

const TASK: TaskView = {
  taskId: 't1',
  requestId: 'r1',
  caller: 'agent:shop/web',
  namespace: 'shop',
  agent: 'shop/reports',
  capability: 'report',
  instance: 'shop/reports/one',
  state: 'COMPLETED',
  epoch: 2,
  result: { pages: 7 },
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:01.000Z',
  deadlineAt: '2026-01-01T00:15:00.000Z',
};
const SECRET = 'a secret of 24 characters';

interface Row extends DueWebhook {
  readonly next: number | undefined;
  readonly delivered: boolean;
  readonly error: string | undefined;
}

class MemoryOutbox implements WebhookOutbox {
  readonly rows = new Map<string, Row>();
  away = false;

  put(taskId: string, url: string, dueAt: number, namespace = 'shop'): void {
    const task = { ...TASK, taskId, namespace };
    this.rows.set(taskId, {
      url,
      secret: SECRET,
      attempts: 0,
      dueAt,
      task,
      next: dueAt,
      delivered: false,
      error: undefined,
    });
  }
  due(now: number, { taskIds, fullHosts, fullNamespaces }: WebhooksUnderWay): Promise<DueWebhook[]> {
    if (this.away) return Promise.reject(new Error('away'));
    const due = [...this.rows.values()].filter(({ next, url, task }) => {
      if (next === undefined || next > now || taskIds.includes(task.taskId)) return false;
      return !fullHosts.includes(new URL(url).host) && !fullNamespaces.includes(task.namespace);
    });
    return Promise.resolve(due.slice(0, 32).map((row) => ({ ...row, dueAt: row.next ?? 0 })));
  }
  nextAt(now: number): Promise<number | undefined> {
    const times = [...this.rows.values()].flatMap(({ next }) => (next !== undefined && next > now ? [next] : []));
    return Promise.resolve(times.length === 0 ? undefined : Math.min(...times));
  }
  delivered(webhook: DueWebhook): Promise<void> {
    return this.#set(webhook, { next: undefined, delivered: true });
  }
  failed(webhook: DueWebhook, error: string, nextAt: number | undefined): Promise<void> {
    return this.#set(webhook, { next: nextAt, error });
  }
  #set({ task, attempts }: DueWebhook, change: Partial<Row>): Promise<void> {
    if (this.away) return Promise.reject(new Error('away'));
    const row = this.rows.get(task.taskId);
    if (row !== undefined) this.rows.set(task.taskId, { ...row, ...change, attempts: attempts + 1 });
    return Promise.resolve();
  }
}

interface Got {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver that keeps what it got. */
class Receiver {
  readonly got: Got[] = [];
  /** Answers, or doesn't. */
  answer: RequestListener = (_, response) => response.writeHead(204).end();
  readonly #server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      this.got.push({
        path: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      });
      this.answer(request, response);
    });
  });

  async listen(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

const clock = () => new TestClock();
let receivers: Receiver[] = [];
let x: ReturnType<typeof fixture>;

function fixture(egress = new EgressGuard({ allow: [], loopback: true })) {
  const time = clock();
  const wheel = new TimingWheel(time.monotonic(), (error) => {
    throw error;
  });
  const outbox = new MemoryOutbox();
  const warnings: string[] = [];
  const sender = new WebhookSender({
    outbox,
    egress,
    clock: time,
    wheel,
    log: { warn: (_, message) => warnings.push(message) },
    answerMs: 300,
  });
  return {
    time,
    outbox,
    sender,
    egress,
    warnings,
    pass(ms: number) {
      time.advance(ms);
      wheel.advance(time.monotonic());
    },
  };
}

async function receiver(): Promise<Receiver> {
  const made = await new Receiver().listen();
  receivers.push(made);
  return made;
}

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1_000 && !condition(); tries++) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(condition()).toBe(true);
}

const row = (taskId = 't1') => x.outbox.rows.get(taskId);

beforeEach(() => {
  x = fixture();
});
afterEach(async () => {
  await x.sender.stop();
  await x.egress.close();
  for (const each of receivers) await each.close();
  receivers = [];
});

describe('webhooks', () => {
  it('are signed as the Standard Webhooks specification says, and done at 2xx', async () => {
    const hook = await receiver();
    x.outbox.put('t1', `${hook.url}/done?a=1`, x.time.wall());
    x.sender.wake();
    await until(() => row()?.delivered === true);
    const [got] = hook.got;
    expect(got?.path).toBe('/done?a=1');
    expect(JSON.parse(got?.body ?? '')).toEqual(TASK);
    expect(got?.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': 'task_t1_2_completed',
      'webhook-timestamp': '1767225600',
    });
    const signature = createHmac('sha256', SECRET)
      .update(`task_t1_2_completed.1767225600.${got?.body}`)
      .digest('base64');
    expect(got?.headers['webhook-signature']).toBe(`v1,${signature}`);
    expect(row()).toMatchObject({ attempts: 1, next: undefined });
  });

  it('takes the example of the specification', () => {
    const headers = signedHeaders(
      'msg_p5jXN8AQM9LWM0D4loKWxJek',
      1_614_265_330_000,
      '{"test": 2432232314}',
      'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    );
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('are tried again after growing pauses under the same id, and given up after the ninth time', async () => {
    const hook = await receiver();
    hook.answer = (_, response) => response.writeHead(500).end('no');
    x.outbox.put('t1', hook.url, x.time.wall());
    x.sender.wake();
    const pauses: number[] = [];
    for (let tries = 1; tries <= 9; tries++) {
      await until(() => row()?.attempts === tries);
      const next = row()?.next;
      if (next === undefined) break;
      pauses.push((next - x.time.wall()) / 1000);
      // The sender has armed its timer by then.
      await new Promise((resolve) => setTimeout(resolve, 20));
      x.pass(next - x.time.wall() - 1);
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(row()?.attempts).toBe(tries);
      x.pass(20);
    }
    expect(pauses).toEqual([5, 30, 120, 600, 3_600, 10_800, 21_600, 43_200].map((pause) => expect.closeTo(pause, 0)));
    expect(row()).toMatchObject({ attempts: 9, next: undefined, delivered: false, error: 'answered 500' });
    expect(new Set(hook.got.map(({ headers }) => headers['webhook-id']))).toEqual(new Set(['task_t1_2_completed']));
    expect(hook.got).toHaveLength(9);
  });

  it('say why they failed: silence, refusal, an address that may not be reached', async () => {
    const hook = await receiver();
    hook.answer = () => {};
    x.outbox.put('t1', hook.url, x.time.wall());
    x.outbox.put('t2', 'http://127.0.0.1:1/', x.time.wall());
    x.outbox.put('t3', 'http://169.254.169.254/latest/meta-data', x.time.wall());
    x.sender.wake();
    await until(() => ['t1', 't2', 't3'].every((taskId) => row(taskId)?.attempts === 1));
    expect(row('t1')?.error).toBe('did not answer in time');
    expect(row('t2')?.error).toMatch(/ECONNREFUSED|bad port/);
    expect(row('t3')?.error).toContain('169.254.169.254');
  });

  it('follow a redirect that repeats them, but to no forbidden address', async () => {
    const end = await receiver();
    const hook = await receiver();
    hook.answer = (request, response) => {
      const location = request.url === '/inside' ? 'http://10.0.0.1/' : `${end.url}/there`;
      response.writeHead(308, { location }).end();
    };
    x.outbox.put('t1', `${hook.url}/elsewhere`, x.time.wall());
    x.sender.wake();
    await until(() => row()?.delivered === true);
    expect(end.got.map(({ path }) => path)).toEqual(['/there']);
    expect(end.got[0]?.body).toBe(hook.got[0]?.body);
    x.outbox.put('t2', `${hook.url}/inside`, x.time.wall());
    x.sender.wake();
    await until(() => row('t2')?.attempts === 1);
    expect(row('t2')?.error).toContain('10.0.0.1');
  });

  it('go to one host four at once, for one namespace eight, and no silent receiver keeps others waiting', async () => {
    const silent = [await receiver(), await receiver(), await receiver()];
    const held: (() => void)[] = [];
    for (const hook of silent) hook.answer = (_, response) => held.push(() => response.writeHead(200).end());
    for (const [index, hook] of silent.entries()) {
      for (let number = 0; number < 20; number++) x.outbox.put(`s${index}-${number}`, hook.url, x.time.wall());
    }
    const other = await receiver();
    x.outbox.put('other', other.url, x.time.wall(), 'bank');
    x.sender.wake();
    x.sender.wake();
    await until(() => row('other')?.delivered === true && held.length === 8);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(silent.map(({ got }) => got.length)).toEqual([4, 4, 0]);
    for (let answered = 0; answered < 60; answered++) {
      await until(() => held.length > 0);
      held.shift()?.();
    }
    await until(() => [...x.outbox.rows.values()].every(({ delivered }) => delivered));
    expect(silent.map(({ got }) => got.length)).toEqual([20, 20, 20]);
  });

  it('wait while the database is away', async () => {
    const hook = await receiver();
    x.outbox.put('t1', hook.url, x.time.wall());
    x.outbox.away = true;
    x.sender.wake();
    await until(() => x.warnings.length === 1);
    x.outbox.away = false;
    await new Promise((resolve) => setTimeout(resolve, 10));
    x.pass(5_100);
    await until(() => row()?.delivered === true);
  });

  it('are sent again when nobody could store that they were delivered, but not at once', async () => {
    const hook = await receiver();
    x.outbox.put('t1', hook.url, x.time.wall());
    hook.answer = (_, response) => {
      x.outbox.away = hook.got.length === 1;
      response.writeHead(200).end();
    };
    x.sender.wake();
    await until(() => x.warnings.length > 0);
    x.outbox.away = false;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(hook.got).toHaveLength(1);
    x.pass(5_100);
    await until(() => row()?.delivered === true);
    expect(hook.got).toHaveLength(2);
  });

  it('are given up when the server stops, without blaming the receiver', async () => {
    const hook = await receiver();
    hook.answer = () => {};
    x.outbox.put('t1', hook.url, x.time.wall());
    x.sender.wake();
    await until(() => hook.got.length === 1);
    await x.sender.stop();
    expect(row()).toMatchObject({ attempts: 0, error: undefined });
  });
});

describe('a callback that a call names', () => {
  const guard = new EgressGuard({ allow: [], loopback: false });
  const error = (url: string) => callbackError(guard, { url, secret: SECRET });

  it('must be an address that may be reached', () => {
    expect(error('https://hooks.example.com/done')).toBeUndefined();
    for (const url of [
      'http://127.0.0.1/',
      'http://[::1]/',
      'http://u:p@example.com/',
      'http://a\0b/',
      'http://x/\ud800',
    ]) {
      expect(error(url)).toMatchObject({ code: 'INVALID_PARAMS', fields: [{ path: 'callback.url' }] });
    }
  });
});
