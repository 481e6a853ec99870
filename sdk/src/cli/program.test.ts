import { afterEach, beforeEach, expect, test } from 'vitest';
import { ScriptedServer } from '../client/testing/scripted-server.js';
import type { Io } from './io.js';
import { runProgram } from './program.js';

let server: ScriptedServer;
let out: string[];
let err: string[];
let interrupt: AbortController;

beforeEach(async () => {
  server = await ScriptedServer.start();
  out = [];
  err = [];
  interrupt = new AbortController();
});

afterEach(() => server.stop());

function run(args: string[], more: Partial<Io> = {}): Promise<number> {
  return runProgram(args, {
    env: { REACH_URL: server.url, REACH_TOKEN: 'secret' },
    out: (line) => out.push(line),
    err: (line) => err.push(line),
    readInput: () => Promise.resolve('{"from":"stdin"}'),
    readFile: (path) => Promise.resolve(`{"from":"${path}"}`),
    run: () => Promise.resolve(0),
    interrupted: interrupt.signal,
    ...more,
  });
}

test('call prints the result and says who answered', async () => {
  const done = run(['call', 'order_query', '-p', '{"orderId":"A-1"}', '--type', 'commerce.order', '-v']);
  const side = await server.connection();
  await side.greet();
  const call = await side.next('call');
  expect(call).toMatchObject({
    target: { capability: 'order_query', type: 'commerce.order' },
    params: { orderId: 'A-1' },
    timeoutMs: expect.any(Number),
  });
  const { requestId } = call;
  side.send({ type: 'reply', ok: true, result: { state: 'SENT' }, requestId, attempts: 2, instance: 'shop/order/a' });
  expect(await done).toBe(0);
  expect(out).toEqual(['{\n  "state": "SENT"\n}']);
  expect(err.join()).toContain('answered by shop/order/a');
  expect(err.join()).toContain('attempts 2');
});

test.each([
  ['-', 'stdin'],
  ['@order.json', 'order.json'],
])('call takes parameters from %s', async (given, from) => {
  const done = run(['call', 'c', '-p', given]);
  const side = await server.connection();
  await side.greet();
  const { params, requestId } = await side.next('call');
  expect(params).toEqual({ from });
  side.send({ type: 'reply', ok: true, result: 1, requestId, attempts: 1 });
  expect(await done).toBe(0);
});

test.each([
  ['DENIED', false, 3],
  ['BUSINESS_ERROR', false, 5],
  ['OVERLOADED', true, 4],
  ['AGENT_ERROR', false, 1],
  ['INVALID_PARAMS', false, 2],
] as const)('a call that fails with %s says what to do and ends with its exit code', async (code, retryable, exit) => {
  const done = run(['call', 'c']);
  const side = await server.connection();
  await side.greet();
  const { requestId } = await side.next('call');
  const fields = [{ path: 'params.id', got: 'nothing', allowed: 'text' }];
  const error = { code, message: 'that went wrong', retryable, fields };
  side.send({ type: 'reply', ok: false, error, requestId, attempts: 1 });
  expect(await done).toBe(exit);
  expect(out).toEqual([]);
  expect(err.slice(0, 2)).toEqual([`${code}: that went wrong`, '  params.id: got nothing, allowed: text']);
  expect(err.at(-1)).toBe(`  requestId ${requestId}, attempts 1`);
});

test('a fault that the message tells is not told again', async () => {
  const done = run(['call', 'c']);
  const side = await server.connection();
  await side.greet();
  const { requestId } = await side.next('call');
  const fields = [
    { path: 'params.x', got: 'a parameter too many', allowed: 'id' },
    { path: 'params.id', got: 'nothing', allowed: 'a string' },
  ];
  const message = 'It does not match: params.x: got a parameter too many, allowed: id (and 1 more).';
  const error = { code: 'INVALID_PARAMS', message, retryable: false, fields } as const;
  side.send({ type: 'reply', ok: false, error, requestId, attempts: 0 });
  expect(await done).toBe(2);
  expect(err.slice(0, 3)).toEqual([
    `INVALID_PARAMS: ${message}`,
    '  params.id: got nothing, allowed: a string',
    '  Correct the fields that the error lists.',
  ]);
});

test('a token that the server refuses ends at once', async () => {
  const done = run(['call', 'c']);
  const side = await server.connection();
  await side.next('hello');
  side.socket.close(4401);
  expect(await done).toBe(3);
  expect(err[0]).toMatch(/^UNAUTHENTICATED: .*does not accept this token/);
});

test.each([
  [['call', 'c', '-p', '{oops'], 'INVALID_INPUT: --params'],
  [['call', 'c', '-p', '[]'], 'INVALID_INPUT: --params: it is not an object'],
  [['call'], 'INVALID_INPUT: call: capability'],
  [
    ['call', 'c', '--timeout', 'soon', '--priority', '10'],
    'INVALID_INPUT: call: --timeout: got "soon", allowed: a whole number from 1 to 3600000; --priority: got 10, allowed: a whole number from 0 to 9\n  Correct',
  ],
  [['call', 'c', '--task-timeout', '1.5'], 'INVALID_INPUT: call: --task-timeout: got "1.5", allowed: a whole number'],
  [['dance'], "error: unknown command 'dance'"],
])('wrong input is explained: %j', async (args, message) => {
  expect(await run(args)).toBe(2);
  expect(err.join('\n')).toContain(message);
});

test('without a token it says where to put one', async () => {
  expect(await run(['call', 'c'], { env: {} })).toBe(3);
  expect(err[0]).toBe('UNAUTHENTICATED: no token: set REACH_TOKEN, or give --token');
});

test('help is no failure', async () => {
  expect(await run(['--help'])).toBe(0);
  expect(out.join('\n')).toContain('Exit codes: 0 done');
});

test('watch prints snapshot and changes until it is interrupted', async () => {
  const done = run(['watch', '--capability', 'order_query', '--health', 'healthy,offline']);
  const side = await server.connection();
  await side.greet();
  const { id, filter } = await side.next('subscribe');
  expect(filter).toEqual({ capability: 'order_query', health: ['HEALTHY', 'OFFLINE'] });
  const instance = {
    instance: 'shop/order/a',
    agent: 'shop/order',
    incarnation: 'i',
    version: 1,
    lifecycle: 'READY',
    health: 'HEALTHY',
    reason: 'ready',
    capabilities: ['order_query'],
    zone: '',
    inFlight: 0,
    queueDepth: 0,
    utilisation: null,
    changedAt: '2026-01-01T00:00:00.000Z',
  } as const;
  side.send({ type: 'event', id, event: { kind: 'Snapshot', position: '1', instances: [instance] } });
  const gone = { ...instance, lifecycle: 'SUSPECT', health: 'OFFLINE', reason: 'connection lost' } as const;
  side.send({ type: 'event', id, event: { kind: 'Change', position: '2', instance: gone } });
  side.send({ type: 'event', id, event: { kind: 'Resync', position: '3', reason: 'end of test' } });
  // The last line shows that all were read.
  while (out.length < 3) await new Promise((resolve) => setImmediate(resolve));
  interrupt.abort();
  await side.next('unsubscribe');
  expect(await done).toBe(130);
  expect(out).toEqual([
    '2026-01-01T00:00:00.000Z  HEALTHY   READY     shop/order/a  0 in flight  ready',
    '2026-01-01T00:00:00.000Z  OFFLINE   SUSPECT   shop/order/a  0 in flight  connection lost',
    '-- the stream begins anew: end of test',
  ]);
});

test.each([
  [[], [], 0],
  [['--heads', 'copy.jsonl'], ['--heads', 'copy.jsonl'], 1],
])('audit verify hands over to the program of the server, with its exit code', async (args, handed, code) => {
  const ran: { program: string; args: readonly string[] }[] = [];
  const exit = await run(['audit', 'verify', ...args], {
    run: async (program, args) => {
      ran.push({ program, args });
      return code;
    },
  });
  expect(exit).toBe(code);
  expect(ran).toEqual([{ program: expect.stringMatching(/api\/dist\/audit-verify\.js$/), args: handed }]);
  expect(err).toEqual([]);
});
